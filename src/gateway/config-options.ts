/** The choices of an editor in a session: the agent that answers, and its permissions. Pure. */

import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import { ContinuoError, type PermissionPolicy } from "@continuo/core/model";

export interface SessionChoices {
  readonly agent: string;
  readonly policy: PermissionPolicy;
  /** The agents that are installed. */
  readonly agents: readonly string[];
}

export const AGENT_OPTION = "agent";
export const PERMISSIONS_OPTION = "permissions";

const POLICIES: readonly {
  readonly id: PermissionPolicy;
  readonly name: string;
  readonly description: string;
}[] = [
  { id: "ask", name: "Ask", description: "The agent asks before it does more than read." },
  { id: "safe", name: "Read only", description: "The agent only reads." },
  { id: "unrestricted", name: "Unrestricted", description: "The agent does what it wants without asking." },
];

/** Returns all options, because an answer of the protocol always has the whole list. */
export function configOptionsOf({ agent, policy, agents }: SessionChoices): SessionConfigOption[] {
  const names = agents.includes(agent) ? agents : [agent, ...agents];
  return [
    {
      type: "select",
      id: AGENT_OPTION,
      name: "Agent",
      description: "Another agent continues this conversation with its whole history.",
      category: "model",
      currentValue: agent,
      options: names.map((value) => ({ value, name: value })),
    },
    {
      type: "select",
      id: PERMISSIONS_OPTION,
      name: "Permissions",
      category: "mode",
      currentValue: policy,
      options: POLICIES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
  ];
}

/** The same choice for editors that know only modes. */
export function modesOf({ policy }: SessionChoices): SessionModeState {
  return { currentModeId: policy, availableModes: POLICIES.map((one) => ({ ...one })) };
}

/** Errors: `invalid`. */
export function toPolicy(value: unknown): PermissionPolicy {
  const policy = POLICIES.find(({ id }) => id === value);
  if (policy !== undefined) return policy.id;
  throw new ContinuoError("invalid", `there is no mode ${JSON.stringify(value)}`, {
    hint: `Choose one of ${POLICIES.map(({ id }) => id).join(", ")}.`,
  });
}

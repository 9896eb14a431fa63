/** The agents and adapters that are known to speak ACP, from the description of each agent. */

import { type AgentName, present } from "@continuo/core/model";
import { type AcpDescription, agentOf } from "@continuo/native";
import { type AcpPolicies, type AcpTrust, MADE_POLICIES } from "./policies.ts";

export interface AcpProgram {
  /** The key of the agent in references. */
  readonly agent: string;
  /** The name that people use. */
  readonly label: string;
  /** The program that is looked for on the search path. */
  readonly program: string;
  /** Arguments after the command; they are not repeated if the command already has them. */
  readonly args: readonly string[];
  readonly install?: string;
  /** Variables that name its home: they are removed if it must not touch the user's home. */
  readonly homes?: readonly string[];
  /**
   * Methods of `authenticate` that need no person if the variable is set; tried when the agent asks for authentication.
   */
  readonly keys?: Readonly<Record<string, string>>;
  /** The data that enforces each policy; left out for an agent that asks before it acts. */
  readonly policies?: AcpPolicies;
  /** The policy for the trust in a folder; left out for an agent that decides by itself. */
  readonly trust?: AcpTrust;
  /**
   * True if it always reads a project's configuration, so it is not started in an untrusted project that has one.
   */
  readonly followsProjects?: true;
  /**
   * Set for an agent that begins a session at each start: the flag that gives this session an id, and the first version
   * with the flag. If the session is still empty when the program has ended, its files are removed.
   */
  readonly ownSession?: { readonly flag: string; readonly since: string };
  /**
   * The agent whose session file has the details of calls or errors that the protocol does not report; left out if the
   * protocol reports everything.
   */
  readonly records?: AgentName;
  /**
   * The texts by which it reports an error as a part of its answer; the protocol reports everything about its calls.
   */
  readonly errorWords?: AcpDescription["errorWords"];
  /** Its answers count the usage of all turns since the program opened the session. */
  readonly sumsUsage?: true;
  /** True if it accepts the tool servers of its client but does not start them. */
  readonly takesNoToolServers?: true;
  /** True if it starts no server of its client in a folder that is not trusted. */
  readonly toolServersNeedTrust?: true;
  /** True if it replaces `$NAME` and `${NAME}` in values of its client's tool servers, but not after a backslash. */
  readonly expandsToolServers?: true;
}

/** `undefined` for an agent whose description has nothing about ACP: its program is started by its name. */
export function knownProgram(name: AgentName): AcpProgram | undefined {
  const { acp, homeVariable } = agentOf(name);
  if (acp === null) return undefined;
  const { label, program = name, args, install, holds, recordsCalls, ...others } = acp;
  const { trusted = {}, untrusted = {}, ...policies } = holds;
  const isRecorded = recordsCalls === true || others.errorWords !== undefined;
  return {
    agent: name,
    label,
    program,
    args,
    install,
    homes: [homeVariable],
    policies: { ...policies, ...MADE_POLICIES[name] },
    trust: (by) => (by === "agent" ? {} : by === "person" ? trusted : untrusted),
    ...others,
    ...present({ records: isRecorded ? name : undefined }),
  };
}

/** The program of any other agent, whose command the configuration names. */
export function configuredProgram(agent: string, command: readonly string[]): AcpProgram {
  return { agent, label: agent, program: command[0] ?? agent, args: [] };
}

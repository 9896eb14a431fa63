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
  /** After the command; not repeated where the command names them already. */
  readonly args: readonly string[];
  readonly install?: string;
  /** Variables that name its home: taken away where it shall not touch the user's. */
  readonly homes?: readonly string[];
  /** Methods of `authenticate` that need no person where the variable is set; tried when the agent asks for it. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The policies that hold it; left out for an agent that asks before it acts. */
  readonly policies?: AcpPolicies;
  /** The policy for the trust in a folder; left out for an agent that decides that itself. */
  readonly trust?: AcpTrust;
  /** Nothing keeps it from a project's configuration: it is not started where nobody trusts one. */
  readonly followsProjects?: true;
  /**
   * One that begins a session by itself at each start, and since when a flag gives that session an id: what is left of it
   * empty is removed when the program has ended.
   */
  readonly ownSession?: { readonly flag: string; readonly since: string };
  /** Whose session file holds what the protocol does not tell of calls, or of errors; left out where it tells all. */
  readonly records?: AgentName;
  /** The words by which it reports an error as a part of its answer; the protocol tells all of its calls. */
  readonly errorWords?: AcpDescription["errorWords"];
  /** Its answers count the usage of all turns since the program opened the session. */
  readonly sumsUsage?: true;
  /** It accepts the tool servers of its client, and starts none of them. */
  readonly takesNoToolServers?: true;
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

/** Any other agent: the configuration gives its command. */
export function configuredProgram(agent: string, command: readonly string[]): AcpProgram {
  return { agent, label: agent, program: command[0] ?? agent, args: [] };
}

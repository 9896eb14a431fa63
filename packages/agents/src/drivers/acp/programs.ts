/** The agents and adapters that are known to speak ACP, as data. */

import { type AgentName, present } from "@continuo/core/model";
import { type AcpDescription, agentOf } from "@continuo/native";
import {
  type AcpPolicies,
  type AcpTrust,
  CLAUDE_ACP_POLICIES,
  CLAUDE_ACP_TRUST,
  CODEX_ACP_POLICIES,
  GEMINI_POLICIES,
  GEMINI_TRUST,
  OPENCODE_POLICIES,
  OPENCODE_TRUST,
  PI_ACP_POLICIES,
} from "./policies.ts";

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
}

const OPENAI_KEYS: Readonly<Record<string, string>> = {
  "codex-api-key": "CODEX_API_KEY",
  "openai-api-key": "OPENAI_API_KEY",
  "api-key": "OPENAI_API_KEY",
};

/** An agent that is not here is started by its name, or by the command of the configuration, and asks before it acts. */
export const ACP_PROGRAMS: Readonly<Partial<Record<AgentName, AcpProgram>>> = {
  gemini: {
    agent: "gemini",
    label: "Gemini CLI",
    program: "gemini",
    args: ["--acp"],
    install: "npm install -g @google/gemini-cli",
    homes: ["GEMINI_CLI_HOME"],
    keys: { "gemini-api-key": "GEMINI_API_KEY", "vertex-ai": "GOOGLE_API_KEY" },
    policies: GEMINI_POLICIES,
    trust: GEMINI_TRUST,
    ownSession: { flag: "--session-id", since: "0.61.0" },
    records: "gemini",
  },
  opencode: {
    agent: "opencode",
    label: "opencode",
    program: "opencode",
    args: ["acp"],
    install: "npm install -g opencode-ai",
    policies: OPENCODE_POLICIES,
    trust: OPENCODE_TRUST,
    followsProjects: true,
  },
  codex: {
    agent: "codex",
    label: "Codex (through codex-acp)",
    program: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    homes: ["CODEX_HOME"],
    keys: OPENAI_KEYS,
    policies: CODEX_ACP_POLICIES,
  },
  claude: {
    agent: "claude",
    label: "Claude Code (through claude-agent-acp)",
    program: "claude-agent-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    homes: ["CLAUDE_CONFIG_DIR"],
    policies: CLAUDE_ACP_POLICIES,
    trust: CLAUDE_ACP_TRUST,
  },
  pi: {
    agent: "pi",
    label: "pi (through pi-acp)",
    program: "pi-acp",
    args: [],
    install: "npm install -g pi-acp",
    homes: ["PI_CODING_AGENT_DIR"],
    policies: PI_ACP_POLICIES,
  },
};

/** The row of an agent: one of the table, else one of what the agent says of itself. */
export function knownProgram(name: AgentName): AcpProgram | undefined {
  return ACP_PROGRAMS[name] ?? describedProgram(name);
}

function describedProgram(name: AgentName): AcpProgram | undefined {
  const { acp, homeVariable } = agentOf(name);
  if (acp === undefined) return undefined;
  const { label, args, install, followsProjects, holds, errorWords, sumsUsage } = acp;
  const { untrusted, ...policies } = holds;
  return {
    agent: name,
    label,
    program: name,
    args,
    install,
    homes: [homeVariable],
    policies,
    trust: (by) => (by === null ? (untrusted ?? {}) : {}),
    ...present({ followsProjects, errorWords, sumsUsage }),
    ...(errorWords === undefined ? {} : { records: name }),
  };
}

/** Any other agent: the configuration gives its command. */
export function configuredProgram(agent: string, command: readonly string[]): AcpProgram {
  return { agent, label: agent, program: command[0] ?? agent, args: [] };
}

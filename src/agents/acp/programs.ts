/** The agents and adapters that are known to speak ACP, as data. */

import type { AgentName } from "../../model/index.ts";
import {
  type AcpPolicies,
  CLAUDE_ACP_POLICIES,
  CODEX_ACP_POLICIES,
  GEMINI_POLICIES,
  OPENCODE_POLICIES,
  PI_ACP_POLICIES,
} from "./policies.ts";

export interface AcpProgram {
  /** The key of the agent in references. */
  readonly agent: string;
  /** As a person calls it. */
  readonly label: string;
  /** What is looked for on the search path. */
  readonly program: string;
  /** Behind the command; not repeated where the command names them already. */
  readonly args: readonly string[];
  readonly install?: string;
  /** Variables that name its home: taken away where it shall not touch the user's. */
  readonly homes?: readonly string[];
  /** Methods of `authenticate` that need no person where the variable is set; tried when the agent asks for it. */
  readonly keys?: Readonly<Record<string, string>>;
  /** What holds it to a policy; left out for one that asks before it acts. */
  readonly policies?: AcpPolicies;
}

const OPENAI_KEYS: Readonly<Record<string, string>> = {
  "codex-api-key": "CODEX_API_KEY",
  "openai-api-key": "OPENAI_API_KEY",
  "api-key": "OPENAI_API_KEY",
};

export const ACP_PROGRAMS: Readonly<Record<AgentName, AcpProgram>> = {
  gemini: {
    agent: "gemini",
    label: "Gemini CLI",
    program: "gemini",
    args: ["--acp"],
    install: "npm install -g @google/gemini-cli",
    homes: ["GEMINI_CLI_HOME"],
    keys: { "gemini-api-key": "GEMINI_API_KEY", "vertex-ai": "GOOGLE_API_KEY" },
    policies: GEMINI_POLICIES,
  },
  opencode: {
    agent: "opencode",
    label: "opencode",
    program: "opencode",
    args: ["acp"],
    install: "npm install -g opencode-ai",
    policies: OPENCODE_POLICIES,
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

/** Any other agent: its command is told by the configuration. */
export function configuredProgram(agent: string, command: readonly string[]): AcpProgram {
  return { agent, label: agent, program: command[0] ?? agent, args: [] };
}

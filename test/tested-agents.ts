/**
 * The one table of the agents in the tests: the places of an agent's files, and the recorded session for each state. A
 * new agent has a row here; tests read a column with `tested`.
 */

import { AGENT_NAMES, type AgentName } from "@continuo/core/model";

export interface TestedAgent {
  /** The default value of the agent's home variable, below the person's home. */
  readonly folder: string;
  /** The agent's own folder, below the person's home. */
  readonly ownFolder: string;
  /** The file with the agent's MCP servers, below the person's home. */
  readonly mcpSettings: string;
  /**
   * The keys of its records that name a session, a folder, a title or an entry, and Continuo's own keys (docs/formats).
   */
  readonly naming: readonly string[];
  /** True if its model receives the thinking of another vendor's model. */
  readonly sendsThinking: boolean;
  /** Recorded sessions (`test/fixtures/AGENT/`). */
  readonly recorded: {
    readonly thinking: string;
    /** A session with parallel calls, one of which failed. */
    readonly parallel: string;
    /** A session of several parts, if the agent has such sessions. */
    readonly parts: string;
    /** A session that can be damaged and edited. */
    readonly edited: string;
    /** A session that can be edited, in which a power cut is simulated. */
    readonly powerCut: string;
    /** A session with a title. */
    readonly titled: string;
  };
  /** Words that the compaction of `compaction` cut, and words that it kept. */
  readonly compacted: readonly [cut: string, kept: string];
  /**
   * Recorded states of ordinary work. A text in brackets is the reason if the agent has no such state, or if it is not
   * recorded yet.
   */
  readonly states: Readonly<Record<StateName, string>>;
}

export const STATE_NAMES = [
  "hooks",
  "plan mode",
  "todos",
  "skills",
  "slash commands",
  "background tasks",
  "worktrees",
  "queued commands",
] as const;

export type StateName = (typeof STATE_NAMES)[number];

const NOT_YET = "(not recorded)";
const NONE = "(it has none)";

const TESTED: Readonly<Record<AgentName, TestedAgent>> = {
  claude: {
    folder: ".claude",
    ownFolder: ".claude",
    mcpSettings: ".claude.json",
    naming: ["sessionId", "cwd", "continuo"],
    sendsThinking: false,
    recorded: {
      thinking: "text-and-thinking",
      parallel: "parallel-tools",
      parts: "subagent",
      edited: "killed",
      powerCut: "subagent",
      titled: "text-and-thinking",
    },
    compacted: ["200 seconds.", "240 seconds for black tea."],
    states: {
      hooks: "hooks",
      "plan mode": "plan-mode",
      todos: "todos",
      skills: "skills",
      "slash commands": "local-commands",
      "background tasks": "background-command",
      worktrees: "worktree",
      "queued commands": "said-meanwhile",
    },
  },
  codex: {
    folder: ".codex",
    ownFolder: ".codex",
    mcpSettings: ".codex/config.toml",
    naming: ["id", "session_id", "thread_id", "cwd", "runtime_workspace_roots", "continuo"],
    sendsThinking: true,
    recorded: {
      thinking: "paginated",
      parallel: "paginated",
      parts: "fork",
      edited: "legacy",
      powerCut: "legacy",
      titled: "title",
    },
    compacted: ["200 seconds.", "240 seconds for black tea."],
    states: {
      hooks: "hooks",
      "plan mode": "plan-and-shell",
      todos: "plan-and-shell",
      skills: "skills",
      "slash commands": "review",
      "background tasks": "plan-and-shell",
      worktrees: "worktree",
      "queued commands": "steered",
    },
  },
  gemini: {
    folder: ".",
    ownFolder: ".gemini",
    mcpSettings: ".gemini/settings.json",
    naming: ["sessionId", "projectHash", "continuo"],
    sendsThinking: false,
    recorded: {
      thinking: "text-and-thinking",
      parallel: "parallel-tools",
      parts: "subagent",
      edited: "parallel-tools",
      powerCut: "parallel-tools",
      titled: "text-and-thinking",
    },
    compacted: ["leaf0 leaf1", "leaf91."],
    states: {
      hooks: "hooks",
      "plan mode": "plan-mode",
      todos: "todos",
      skills: "skills",
      "slash commands": "skills",
      "background tasks": "todos",
      worktrees: "worktree",
      "queued commands": "queued",
    },
  },
  pi: {
    folder: ".pi/agent",
    ownFolder: ".pi",
    mcpSettings: ".pi/agent/mcp.json",
    naming: ["id", "cwd", "continuo"],
    sendsThinking: false,
    recorded: {
      thinking: "text-and-thinking",
      parallel: "parallel-tools",
      parts: "image",
      edited: "parallel-tools",
      powerCut: "parallel-tools",
      titled: "text-and-thinking",
    },
    compacted: ["200 seconds.", "240 seconds for black tea."],
    states: {
      hooks: "extensions-and-shell",
      "plan mode": NONE,
      todos: NONE,
      skills: "skills",
      "slash commands": "skills",
      "background tasks": NONE,
      worktrees: "worktree",
      "queued commands": "queued",
    },
  },
  opencode: {
    folder: ".local/share",
    ownFolder: ".local/share/opencode",
    mcpSettings: ".config/opencode/opencode.json",
    naming: [
      ...["id", "session_id", "message_id", "parentID", "sessionID", "messageID", "tail_start_id"],
      ...["parentSessionId", "directory", "cwd", "root", "slug", "title", "metadata", "project_id", "path"],
      "time_updated",
    ],
    sendsThinking: true,
    recorded: {
      thinking: "text-and-thinking",
      parallel: "parallel-tools",
      parts: "sub-agent",
      edited: "killed",
      powerCut: "killed",
      titled: "text-and-thinking",
    },
    compacted: ["200 seconds.", "Anything else?"],
    states: {
      hooks: "(a plugin waits for a package from the network, so that no turn ends here)",
      "plan mode": "plan-and-todos",
      todos: "plan-and-todos",
      skills: "skills",
      "slash commands": "skills",
      "background tasks": "background-task",
      worktrees: "worktree",
      "queued commands": "said-meanwhile",
    },
  },
  copilot: {
    folder: ".copilot",
    ownFolder: ".copilot",
    mcpSettings: ".copilot/mcp-config.json",
    naming: ["sessionId", "cwd", "continuo"],
    sendsThinking: false,
    recorded: {
      thinking: "text-and-thinking",
      parallel: "parallel-tools",
      parts: "subagent",
      edited: "parallel-tools",
      powerCut: "parallel-tools",
      titled: "text-and-thinking",
    },
    compacted: ["200 seconds.", "Anything else?"],
    states: {
      hooks: NOT_YET,
      "plan mode": NOT_YET,
      todos: NOT_YET,
      skills: NOT_YET,
      "slash commands": NOT_YET,
      "background tasks": NOT_YET,
      worktrees: NOT_YET,
      "queued commands": NOT_YET,
    },
  },
};

/** Returns a column of the table. */
export function tested<T>(
  column: (agent: TestedAgent, name: AgentName) => T,
): Readonly<Record<AgentName, T>> {
  return Object.fromEntries(AGENT_NAMES.map((name) => [name, column(TESTED[name], name)])) as Record<
    AgentName,
    T
  >;
}

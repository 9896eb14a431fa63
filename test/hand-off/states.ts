/**
 * The states of sessions that ordinary work leaves behind, and the recorded session of each agent that is in the state.
 * A text in brackets stands where an agent has no such state, or where nobody has recorded it yet.
 */

import type { AgentName } from "@continuo/core/model";

export type RecordedState = Readonly<Record<AgentName, string>>;

export const RECORDED_STATES: Readonly<Record<string, RecordedState>> = {
  hooks: {
    claude: "hooks",
    codex: "hooks",
    gemini: "hooks",
    pi: "extensions-and-shell",
    opencode: "(a plugin waits for a package from the network, so that no turn ends here)",
  },
  "plan mode": {
    claude: "plan-mode",
    codex: "plan-and-shell",
    gemini: "plan-mode",
    pi: "(it has none)",
    opencode: "plan-and-todos",
  },
  todos: {
    claude: "todos",
    codex: "plan-and-shell",
    gemini: "todos",
    pi: "(it has none)",
    opencode: "plan-and-todos",
  },
  skills: {
    claude: "skills",
    codex: "skills",
    gemini: "skills",
    pi: "skills",
    opencode: "skills",
  },
  "slash commands": {
    claude: "local-commands",
    codex: "review",
    gemini: "skills",
    pi: "skills",
    opencode: "skills",
  },
  "background tasks": {
    claude: "background-command",
    codex: "plan-and-shell",
    gemini: "todos",
    pi: "(it has none)",
    opencode: "background-task",
  },
  worktrees: {
    claude: "worktree",
    codex: "worktree",
    gemini: "worktree",
    pi: "worktree",
    opencode: "worktree",
  },
  "queued commands": {
    claude: "said-meanwhile",
    codex: "steered",
    gemini: "queued",
    pi: "queued",
    opencode: "said-meanwhile",
  },
};

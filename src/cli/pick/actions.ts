/**
 * The keys of the list as data: what each key does, its texts in the help and the last row, and the question before it.
 * Pure.
 */

import { AGENT_NAMES } from "@continuo/core/model";
import type { ExportFormat } from "../session/index.ts";

/** The acts on sessions during which the picker stays open. */
export type ActionName = "handoff" | "fork" | "rename" | "export" | "delete" | "bring back" | "undo" | "copy";

export interface ListKey {
  readonly key: string;
  /** The name in the last row. */
  readonly label: string;
  readonly help: string;
}

/** The order in which keys get a place in the last row. */
export const LIST_KEYS: readonly ListKey[] = [
  { key: "Enter", label: "open", help: "show the session, and come back" },
  { key: "r", label: "resume", help: "continue it in its own agent" },
  { key: "h", label: "hand over", help: "continue it in another agent" },
  { key: "d", label: "delete", help: "move it to the trash" },
  { key: "/", label: "texts", help: "search what was said in all sessions" },
  { key: "c", label: "chat", help: "continue it in `continuo repl`" },
  { key: "n", label: "rename", help: "give it another title" },
  { key: "f", label: "fork", help: "copy it to a new session" },
  { key: "e", label: "export", help: "write it to a file of this folder" },
  { key: "s", label: "stats", help: "show counts, tokens and cost" },
  { key: "b", label: "bring back", help: "put a hidden one (!) into its agent's list" },
  { key: "y", label: "copy id", help: "copy its id to the clipboard" },
  { key: "u", label: "undo", help: "take back the last deletion" },
  { key: "a", label: "agent", help: "only one agent, the next, then all" },
  { key: ".", label: "here", help: "only this folder and those below it" },
  { key: "Space", label: "select", help: "select it, for one act on several; * all" },
  { key: "Tab", label: "filter", help: "type in the filter; Tab comes back" },
  { key: "q", label: "leave", help: "leave; Esc goes back to typing first" },
];

export interface MenuItem {
  readonly key: string;
  readonly label: string;
  readonly value: string;
}

interface Menu {
  readonly question: string;
  readonly items: readonly MenuItem[];
}

/** The letters of agents. Every other agent gets a free letter of its name. */
const AGENT_KEYS: Readonly<Record<string, string>> = {
  claude: "c",
  codex: "x",
  gemini: "g",
  pi: "p",
  opencode: "o",
};

function keyOf(agent: string): string {
  const taken = new Set(Object.values(AGENT_KEYS));
  return AGENT_KEYS[agent] ?? [...agent].find((letter) => !taken.has(letter)) ?? agent;
}

const FORMATS: readonly (MenuItem & { readonly value: ExportFormat })[] = [
  { key: "m", label: "Markdown", value: "md" },
  { key: "h", label: "HTML", value: "html" },
  { key: "j", label: "JSON", value: "json" },
  { key: "l", label: "JSON Lines", value: "jsonl" },
];

const YES: readonly MenuItem[] = [{ key: "y", label: "yes", value: "yes" }];

export type MenuName = "handoff" | "export" | "fork" | "delete";

/** @param what the affected sessions, in words: `this session`, `3 sessions` */
export function menuOf(name: MenuName, what: string, own: number): Menu {
  switch (name) {
    case "handoff":
      return {
        question: `hand ${what} over to:`,
        items: AGENT_NAMES.map((agent) => ({ key: keyOf(agent), label: agent, value: agent })),
      };
    case "export":
      return { question: `export ${what} as:`, items: FORMATS };
    case "fork":
      return { question: `fork ${what}?`, items: YES };
    case "delete":
      return {
        question:
          own === 0
            ? `move ${what} to the trash?`
            : `delete ${what}? Continuo's own (${own}) cannot be brought back:`,
        items: YES,
      };
  }
}

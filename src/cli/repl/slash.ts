/** Commands of the REPL: the meaning of a line. Pure. */

export type SlashName =
  | "help"
  | "sessions"
  | "session"
  | "search"
  | "resume"
  | "continue"
  | "fork"
  | "undo"
  | "agent"
  | "title"
  | "usage"
  | "mode"
  | "model"
  | "effort"
  | "cancel"
  | "quit";

export interface SlashCommand {
  readonly name: SlashName;
  /** The placeholder for the text after the name; empty if the command takes none. */
  readonly argument: string;
  readonly says: string;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: "help", argument: "", says: "list these commands" },
  { name: "sessions", argument: "", says: "list the newest sessions of this folder" },
  { name: "session", argument: "", says: "show the facts of this session" },
  { name: "search", argument: "WORDS", says: "search every session, as `continuo search` does" },
  { name: "resume", argument: "ID", says: "continue another session, a native one or Continuo's own" },
  { name: "continue", argument: "", says: "continue the newest session of this folder" },
  { name: "fork", argument: "[ID]", says: "continue a copy of a session; the original does not change" },
  { name: "undo", argument: "", says: "continue a copy without the last turn; files stay as they are" },
  { name: "agent", argument: "[NAME]", says: "continue this session with another agent" },
  { name: "title", argument: "[TEXT]", says: "show or set the session's title" },
  { name: "usage", argument: "", says: "show the tokens and the cost so far" },
  {
    name: "mode",
    argument: "[MODE]",
    says: "show or set the mode: ask, safe, unrestricted, a mode of the agent, or - for the agent's default",
  },
  {
    name: "model",
    argument: "[NAME]",
    says: "show or set the model, as the agent names it; - for the agent's default",
  },
  {
    name: "effort",
    argument: "[LEVEL]",
    says: "show or set how much the model thinks, as the agent names it; - for the agent's default",
  },
  { name: "cancel", argument: "", says: "cancel the running turn, like Ctrl-C" },
  { name: "quit", argument: "", says: "leave, like Ctrl-D" },
];

export type Line =
  | { readonly type: "nothing" }
  | { readonly type: "say"; readonly text: string }
  /** A command of the person's shell. */
  | { readonly type: "shell"; readonly command: string }
  | { readonly type: "command"; readonly name: SlashName; readonly argument: string }
  /** It may be a command of the agent's own: then the agent receives `text`. */
  | {
      readonly type: "unknown";
      readonly name: string;
      readonly text: string;
      readonly suggestion: SlashName | null;
    };

/**
 * `//word` is sent as `/word`. A path is not a command.
 *
 * @param source only if a person typed the line, `!word` runs a command, and `!!word` is sent as `!word`
 */
export function parseLine(line: string, source: "typed" | "read" = "read"): Line {
  const text = line.trim();
  if (text === "") return { type: "nothing" };
  if (source === "typed" && text.startsWith("!!")) return { type: "say", text: text.slice(1) };
  const command = text.slice(1).trim();
  if (source === "typed" && text.startsWith("!") && command !== "") return { type: "shell", command };
  if (text.startsWith("//")) return { type: "say", text: text.slice(1) };
  const [, word, argument = ""] = /^\/([a-zA-Z?]+)(?:\s+([\s\S]*))?$/u.exec(text) ?? [];
  if (word === undefined) return { type: "say", text };
  const name = word.toLowerCase();
  const known = SLASH_COMMANDS.find((command) => command.name === (ALIASES[name] ?? name));
  if (known !== undefined) return { type: "command", name: known.name, argument: argument.trim() };
  const near = SLASH_COMMANDS.filter((command) => command.name.startsWith(name));
  return { type: "unknown", name, text, suggestion: near.length === 1 ? (near[0]?.name ?? null) : null };
}

const ALIASES: Readonly<Record<string, SlashName>> = { exit: "quit", q: "quit", "?": "help" };

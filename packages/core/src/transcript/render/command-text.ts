/** Restores the text of commands as a person typed it, because agents record commands in a form of their own. */

/**
 * Turns a text that consists only of an agent's tags for commands into `/compact keep it short`, `! ls` or their
 * output; returns every other text as it is. Claude Code has `<command-name>`, `<bash-input>`, `<local-command-stdout>`
 * and others; Codex `<user_shell_command>`. Gemini CLI keeps `/command` as it was typed.
 */
export function spokenText(text: string): string {
  const pieces = text.trimStart().startsWith("<") ? tagsOf(text, TAGS) : null;
  if (pieces === null || pieces.length === 0) return text;
  const command = new Map(pieces);
  const shell = command.get("user_shell_command");
  if (shell !== undefined) return pieces.length === 1 ? (shellCommandOf(shell) ?? text) : text;
  const name = command.get("command-name")?.trim();
  if (name !== undefined) return [name, command.get("command-args")?.trim()].filter(Boolean).join(" ");
  return pieces
    .map(([tag, inner]) => (tag === "bash-input" ? `! ${inner.trim()}` : inner.replace(/^\n|\n$/gu, "")))
    .filter((piece) => piece !== "")
    .join("\n");
}

const TAGS = new Set([
  ...["command-name", "command-message", "command-args", "command-contents", "skill-format"],
  ...["local-command-stdout", "local-command-stderr", "local-command-caveat"],
  ...["bash-input", "bash-stdout", "bash-stderr", "user-memory-input", "user_shell_command"],
]);
const SHELL_TAGS = new Set(["command", "result"]);

function shellCommandOf(text: string): string | null {
  const pieces = tagsOf(text, SHELL_TAGS);
  const command = new Map(pieces).get("command")?.trim();
  if (pieces === null || command === undefined) return null;
  const results = pieces.flatMap(([tag, inner]) =>
    tag === "result" && inner.trim() !== "" ? [inner.trim()] : [],
  );
  return [`! ${command}`, ...results].join("\n");
}

/** The names and contents of these tags, if the text consists only of them. */
function tagsOf(text: string, names: ReadonlySet<string>): readonly (readonly [string, string])[] | null {
  const pieces: (readonly [string, string])[] = [];
  const opening = /\s*(?:<([a-z_-]{1,32})>|$)/uy;
  for (let at = 0; at < text.length; ) {
    opening.lastIndex = at;
    const [whole, name] = opening.exec(text) ?? [];
    if (whole === undefined) return null;
    if (name === undefined) break;
    const end = names.has(name) ? text.indexOf(`</${name}>`, at) : -1;
    if (end < 0) return null;
    pieces.push([name, text.slice(at + whole.length, end)]);
    at = end + name.length + 3;
  }
  return pieces;
}

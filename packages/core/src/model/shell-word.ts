/** Commands, with texts of sessions in them, that a person can paste into a shell. */

const PLAIN = /^[\w./:@-][\w./:@#%+=-]*$/u;
/** Control characters, invisible ones and separators of lines: a terminal would not show them as they are. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The text as one word of bash and zsh (POSIX sh and fish too, but for text with invisible characters). Pure. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${Array.from(text, escaped).join("")}'`;
}

/** The arguments, each as one word, in the folder; in the current one for `null`. Pure. */
export function commandLine(cwd: string | null, argv: readonly string[]): string {
  const words = argv.map(shellWord).join(" ");
  return cwd === null ? words : `cd ${shellWord(cwd)} && ${words}`;
}

/** A session as a command names it; `continuo` is the agent of Continuo's own. */
interface HandedOver {
  readonly agent: string;
  readonly sessionId: string;
}

/** The hand-over of a session to a folder that the person names, between backquotes: for a hint. Pure. */
export function handOffCommand({ agent, sessionId }: HandedOver, to: string): string {
  return `\`continuo handoff ${shellWord(`${agent}:${sessionId}`)} --to ${shellWord(to)} --cwd DIR\``;
}

function escaped(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (!UNSEEN.test(character)) return character;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** Makes commands that a person can paste into a shell, although they contain texts of sessions. */

const PLAIN = /^[\w./:@-][\w./:@#%+=-]*$/u;
/** Control characters, invisible ones and separators of lines: a terminal would not show them as they are. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The text as one word of bash and zsh, and without invisible characters also of POSIX sh and fish. Pure. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!INVISIBLE.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${Array.from(text, escaped).join("")}'`;
}

/** The command line that runs these arguments in the folder, or in the current folder if `cwd` is `null`. Pure. */
export function commandLine(cwd: string | null, argv: readonly string[]): string {
  const words = argv.map(shellWord).join(" ");
  return cwd === null ? words : `cd ${shellWord(cwd)} && ${words}`;
}

/** The name of a session in a command; `continuo` is the agent of Continuo's own sessions. */
interface SessionName {
  readonly agent: string;
  readonly sessionId: string;
}

/** For a hint: the command, in backquotes, that hands a session over to a folder that the person chooses. Pure. */
export function handOffCommand({ agent, sessionId }: SessionName, to: string): string {
  return `\`continuo handoff ${shellWord(`${agent}:${sessionId}`)} --to ${shellWord(to)} --cwd DIR\``;
}

function escaped(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (!INVISIBLE.test(character)) return character;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

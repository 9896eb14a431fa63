/** Text of a session in a command that a person can paste into a shell. */

const PLAIN = /^[\w./:@-][\w./:@#%+=-]*$/u;
/** Control characters, invisible ones and separators of lines: a terminal would not show them as they are. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The text as one word of bash and zsh (POSIX sh and fish too, but for text with invisible characters). Pure. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${Array.from(text, escaped).join("")}'`;
}

function escaped(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (!UNSEEN.test(character)) return character;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** Titles and labels: one line of what may be pages. */

const MAX_TITLE_CHARS = 200;

/** White space folded, cut at 200 UTF-16 units with `…`; `null` where nothing is left. */
export function toTitle(text: unknown): string | null {
  if (typeof text !== "string") return null;
  // A pasted megabyte need not be folded to the end to know its first line.
  const line = text
    .slice(0, 20 * MAX_TITLE_CHARS)
    .replace(/\s+/gu, " ")
    .trim();
  if (line === "") return null;
  if (line.length <= MAX_TITLE_CHARS) return line;
  const cut = line.slice(0, MAX_TITLE_CHARS - 1);
  return `${/[\ud800-\udbff]$/u.test(cut) ? cut.slice(0, -1) : cut}…`;
}

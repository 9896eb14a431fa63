/** Reads the limits of work in a test file, and finds those that grew without a line that gives the reason. Pure. */

export interface GrownLimit {
  /** The command, or the constant, that has the limit. */
  readonly of: string;
  readonly count: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the limits that are higher than before and that no new comment line names, in the line itself or in the list
 * item to which it belongs. A new limit needs no line.
 */
export function grownWithoutReason(before: string, now: string): readonly GrownLimit[] {
  const old = limitsIn(before);
  const known = new Set(commentsOf(before).map(({ line }) => line));
  const reasons = commentsOf(now).filter(({ line }) => !known.has(line));
  return [...limitsIn(now)].flatMap(([key, to]) => {
    const from = old.get(key);
    if (from === undefined || to <= from) return [];
    const [of = "", count = ""] = key.split("\n");
    return reasons.some(({ line, item }) => `${item} ${line}`.includes(count))
      ? []
      : [{ of, count, from, to }];
  });
}

/**
 * The key of a limit is the last text or constant before it, its own name, and its number among the limits that have
 * both.
 */
function limitsIn(source: string): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  const times = new Map<string, number>();
  let of = "";
  for (const line of source.split("\n")) {
    if (isComment(line)) continue;
    const owner = /^\s*\[?(?:\[?"[^"]+", )*"([^"]+)",/u.exec(line) ?? /^const (\w+)/u.exec(line);
    if (owner !== null) of = owner[0].trim();
    for (const [, count = "", number = ""] of line.matchAll(/(\w+): ([\d_]+)\b/gu)) {
      const name = `${of}\n${count}`;
      const nth = (times.get(name) ?? 0) + 1;
      times.set(name, nth);
      limits.set(`${name}\n${nth}`, Number(number.replaceAll("_", "")));
    }
  }
  return limits;
}

interface CommentLine {
  readonly line: string;
  /** The first line of the list item to which the line belongs. */
  readonly item: string;
}

function commentsOf(source: string): readonly CommentLine[] {
  let item = "";
  return source.split("\n").flatMap((text) => {
    if (!isComment(text)) return [];
    const line = text.trim();
    if (/^(?:\* -|\/)/u.test(line)) item = line;
    return [{ line, item }];
  });
}

function isComment(line: string): boolean {
  return /^\s*(?:\*|\/\*|\/\/)/u.test(line);
}

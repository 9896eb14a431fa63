/** A seeded source of numbers and plausible words, so that a corpus is the same on every machine. */

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  /** About so many characters of prose. */
  prose(chars: number): string;
  /** About so many characters of source text, in lines. */
  code(chars: number): string;
  /** Hexadecimal digits. */
  hex(digits: number): string;
  uuid(): string;
}

const WORDS =
  "the session reader keeps every record and folds it into a message while a test compares what was sent with what is shown because nothing may be lost when an agent stops in the middle of a turn and goes on later in another place über Straße 日本語 данные naïve".split(
    " ",
  );
const CODE = [
  "const value = parse(line);",
  "if (value === null) return problems;",
  "export function fold(state, record) {",
  "  state.count += 1;",
  "}",
  "return { value, problems };",
  '  "name": "example",',
  "for (const entry of entries) yield entry;",
];

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: small, fast, and good enough to spread sizes.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(values: readonly T[]): T => values[int(0, values.length - 1)] as T;
  const fill = (chars: number, parts: readonly string[], glue: string): string => {
    const taken: string[] = [];
    for (let length = 0; length < chars; ) {
      const part = pick(parts);
      taken.push(part);
      length += part.length + glue.length;
    }
    return taken.join(glue);
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => int(0, 15).toString(16)).join("");
  return {
    next,
    int,
    pick,
    prose: (chars) => fill(chars, WORDS, " "),
    code: (chars) => fill(chars, CODE, "\n"),
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}

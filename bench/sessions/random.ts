/** A seeded source of numbers and plausible words, so that a corpus is the same on every machine. */

import { makeWords, zipf } from "./vocabulary.ts";

export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  /** Prose with about this number of characters. */
  prose(chars: number): string;
  /** Lines of source text, of about this many characters together. */
  code(chars: number): string;
  /** Hexadecimal digits. */
  hex(digits: number): string;
  uuid(): string;
}

const words: readonly string[] = makeWords();
const rankOf = zipf(words.length);
const names: readonly string[] = words.filter((word) => /^[a-z]+$/u.test(word));
const nameRankOf = zipf(names.length);

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32 is small, fast, and random enough for sizes.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(values: readonly T[]): T => values[int(0, values.length - 1)] as T;
  const fill = (chars: number, glue: string, part: () => string): string => {
    const taken: string[] = [];
    for (let length = 0; length < chars; ) {
      const one = part();
      taken.push(one);
      length += one.length + glue.length;
    }
    return taken.join(glue);
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => int(0, 15).toString(16)).join("");
  const name = (): string => names[nameRankOf(next())] ?? "";
  const Name = (): string => name().replace(/^./u, (letter) => letter.toUpperCase());
  const lines: readonly (() => string)[] = [
    () => `const ${name()}${Name()} = ${name()}(${name()});`,
    () => `if (${name()} === null) return ${name()}${Name()};`,
    () => `export function ${name()}${Name()}(${name()}, ${name()}) {`,
    () => `  ${name()}.${name()} += ${int(1, 99)};`,
    () => "}",
    () => `  return { ${name()}, ${name()}_${name()} };`,
    () => `  "${name()}": "${name()}-${name()}",`,
    () => `for (const ${name()} of ${name()}.${name()}${Name()}) yield ${name()};`,
    () => `// ${fill(40, " ", () => words[rankOf(next())] ?? "")}`,
    () => `src/${name()}/${name()}-${name()}.ts:${int(1, 400)}:${int(1, 80)}: ${name()} ${name()}`,
  ];
  return {
    next,
    int,
    pick,
    prose: (chars) => fill(chars, " ", () => words[rankOf(next())] ?? ""),
    code: (chars) => fill(chars, "\n", () => pick(lines)()),
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}

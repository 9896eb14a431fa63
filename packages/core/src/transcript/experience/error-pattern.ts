/** Finds a reported error in the output of a command, although numbers, positions and paths may differ. Pure. */

import { withoutColours } from "../work/index.ts";

export interface ErrorPattern {
  /** The lines that describe the error, as sets of their words. */
  readonly lines: readonly ReadonlySet<string>[];
  /** The words to search for in sessions. */
  readonly words: readonly string[];
}

export interface SameError {
  /** 0 to 1: the share of the words of the reported error that the line has. */
  readonly similarity: number;
  readonly line: string;
}

/** A line with a lower similarity shows another error. */
const LEAST_SIMILARITY = 0.6;
const MAX_PATTERN_LINES = 3;
const MAX_LINES = 20_000;
const MAX_LINE_CHARS = 2_000;
const MAX_WORDS = 24;

const FRAME = /^\s*(?:at\s.+[:(]\d|File ".+", line \d|\d+:\s+0x|from .+:\d+:in|-->|\||\^|~)/u;
const SAYS_ERROR =
  /error|exception|fail|fatal|panic|cannot|can't|could not|unable|unexpected|undefined|undeclared|unresolved|not (?:found|defined|assignable|permitted|allowed|recognized)|no such|denied|refused|invalid|missing|timed? ?out|conflict|segfault|\bE[A-Z]{4,}\b|\b[A-Z]{1,3}\d{3,5}\b/iu;
/** Codes such as TS2345 and E0308, in lower case. */
const CODE = /^[a-z]{1,4}\d{3,5}$/u;
/** Matches an address, or the folders before the last name of a path. The scope of an npm package is not a folder. */
const PLACE =
  /(?:[A-Za-z]:)?(?:\.{0,2}[\\/])(?:[^\s'"()<>:,\\/]+[\\/])*(?=[^\s'"()<>:,\\/]*)|\b\w{1,20}:\/\/\S+/gu;

/** Returns `null` if no word is left. */
export function errorPattern(text: string): ErrorPattern | null {
  const lines = linesOf(text).filter((line) => !FRAME.test(line));
  const said = lines.filter((line) => SAYS_ERROR.test(line));
  const sets = (said.length === 0 ? lines : said).map(wordsOf).filter((words) => words.size > 0);
  const [chosen, words] = [sets.slice(0, MAX_PATTERN_LINES), new Set<string>()];
  for (const set of chosen) for (const word of set) if (words.size < MAX_WORDS) words.add(word);
  return chosen.length === 0 ? null : { lines: chosen, words: [...words] };
}

/** Returns the most similar line; `null` if no line is similar enough. */
export function sameErrorIn(output: string, { lines }: ErrorPattern): SameError | null {
  const all = output.toLowerCase();
  const isNear = (wanted: ReadonlySet<string>): boolean =>
    [...wanted].filter((word) => all.includes(word)).length >= wanted.size * LEAST_SIMILARITY;
  const near = lines.filter(isNear);
  if (near.length === 0) return null;
  let best: SameError | null = null;
  for (const line of linesOf(output)) {
    const words = wordsOf(line);
    for (const wanted of near) {
      const similarity = shareOf(wanted, words);
      if (similarity >= LEAST_SIMILARITY && similarity > (best?.similarity ?? 0)) best = { similarity, line };
    }
    if (best?.similarity === 1) break;
  }
  return best;
}

/** Returns the share of the wanted words that the line has; 0 if an error code is missing in it. */
function shareOf(wanted: ReadonlySet<string>, words: ReadonlySet<string>): number {
  let found = 0;
  for (const word of wanted) {
    if (words.has(word)) found += 1;
    else if (CODE.test(word)) return 0;
  }
  return found / wanted.size;
}

function linesOf(text: string): string[] {
  return withoutColours(text)
    .split("\n", MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_CHARS).trim())
    .filter((line) => line !== "");
}

/** Returns the words of a line without numbers, times and folders, but with error codes such as TS2345. */
function wordsOf(line: string): Set<string> {
  const plain = line.replace(PLACE, " ").toLowerCase();
  return new Set(
    plain.match(/[\p{L}_][\p{L}\p{N}_]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? [],
  );
}

/**
 * The definition of a word, for the index and for queries. Pure.
 *
 * - a run of letters, digits and marks by Unicode, in lower case, without the accents of Latin, Greek and Cyrillic
 * - each character of a script that is written without spaces (Han, kana, Hangul, Thai, …) is a word of its own, so
 *   that any piece of such a text is found as a phrase
 * - a name in code also counts by its parts: `readUserName` by `read`, `user`, `name`; `snake_case` and paths are
 *   split anyway
 * - a run of more than `MAX_WORD_CHARS` characters is data, not a word
 */

import { MAX_NAME_PARTS, MAX_WORD_CHARS } from "./limits.ts";

const BEYOND_ASCII = /[^\0-\x7f]/g;
const DATA = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])[\\p{L}\\p{N}\\p{M}]{${MAX_WORD_CHARS + 1},}`, "gu");
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]/gu;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]\p{M}*/gu;

/**
 * The words of a text, separated by ASCII characters that are neither letters nor digits. The tokenizer `ascii` of FTS5
 * splits the result in the same way, and makes ASCII letters lower case.
 */
export function foldWords(text: string): string {
  let folded = "";
  let done = 0;
  for (let at = nextBeyondAscii(text, 0); at !== -1; ) {
    let [start, end] = [at, at + 1];
    while (start > done && !isWhite(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && !isWhite(text.charCodeAt(end))) end += 1;
    folded += text.slice(done, start) + foldRun(text.slice(start, end));
    done = end;
    at = nextBeyondAscii(text, end);
  }
  return withoutData(done === 0 ? text : folded + text.slice(done));
}

function nextBeyondAscii(text: string, from: number): number {
  BEYOND_ASCII.lastIndex = from;
  return BEYOND_ASCII.exec(text)?.index ?? -1;
}

/** True for white space: neither composition nor a final sigma changes characters across it. */
function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** A cache: the same words with accents occur often. */
const known = new Map<string, string>();
const [MAX_KNOWN, MAX_KNOWN_CHARS] = [10_000, 40];

function foldRun(run: string): string {
  if (run.length > MAX_KNOWN_CHARS) return fold(run);
  const before = known.get(run);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const folded = fold(run);
  known.set(run, folded);
  return folded;
}

function fold(run: string): string {
  return run
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(ACCENTS, "")
    .normalize("NFC")
    .replace(WITHOUT_SPACES, " $& ")
    .replace(DATA, " ")
    .replace(BETWEEN_WORDS, " ");
}

/** Removes ASCII runs that are longer than a word. Such a run covers at least one place that this loop checks. */
function withoutData(text: string): string {
  let rest = "";
  let done = 0;
  for (let at = MAX_WORD_CHARS; at < text.length; at += MAX_WORD_CHARS) {
    if (at < done || !isOfName(text.charCodeAt(at))) continue;
    let [start, end] = [at, at + 1];
    while (start > done && isOfName(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isOfName(text.charCodeAt(end))) end += 1;
    if (end - start <= MAX_WORD_CHARS) continue;
    rest += `${text.slice(done, start)} `;
    done = end;
  }
  return done === 0 ? text : rest + text.slice(done);
}

/** The text of `foldWords` in lower case. */
export function foldedText(text: string): string {
  return foldWords(text).toLowerCase();
}

export function countWords(folded: string): number {
  let count = 0;
  let isInWord = false;
  for (let at = 0; at < folded.length; at++) {
    const isNow = isOfWord(folded.charCodeAt(at));
    if (isNow && !isInWord) count += 1;
    isInWord = isNow;
  }
  return count;
}

export interface WordSequence {
  readonly words: readonly string[];
  /** True if the last word may be the beginning of a longer one. */
  readonly isPrefix: boolean;
}

/** Counts the places in a folded text at which these words follow each other. */
export function countSequence(folded: string, { words, isPrefix }: WordSequence): number {
  const [first = ""] = words;
  if (first === "") return 0;
  let count = 0;
  for (let at = folded.indexOf(first); at !== -1; at = folded.indexOf(first, at + 1)) {
    if (at > 0 && isOfWord(folded.charCodeAt(at - 1))) continue;
    if (isSequenceAt(folded, at, { words, isPrefix })) count += 1;
  }
  return count;
}

function isSequenceAt(folded: string, start: number, { words, isPrefix }: WordSequence): boolean {
  let at = start;
  for (let number = 0; number < words.length; number++) {
    const word = words[number] ?? "";
    if (number > 0) while (at < folded.length && !isOfWord(folded.charCodeAt(at))) at += 1;
    if (!folded.startsWith(word, at)) return false;
    at += word.length;
    const mayContinue = isPrefix && number === words.length - 1;
    if (!mayContinue && at < folded.length && isOfWord(folded.charCodeAt(at))) return false;
  }
  return true;
}

/** The words one by one, in their order. */
export function wordsOf(text: string): string[] {
  return foldedText(text)
    .split(/[\0-\x2f\x3a-\x60\x7b-\x7f]+/u)
    .filter((word) => word !== "");
}

/** The border between two parts of a name. */
const HUMP = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/g;
const NOT_OF_NAME = /[^A-Za-z0-9]/g;
/** A name whose parts are shorter on average is random text, in which upper and lower case alternate often. */
const MIN_PART_CHARS = 2;

/** The parts of names such as `readUserName`, which no separator splits: in lower case, each once. */
export function partsOf(text: string, parts: Set<string> = new Set()): Set<string> {
  HUMP.lastIndex = 0;
  for (let hump = HUMP.exec(text); hump !== null; hump = HUMP.exec(text)) {
    let start = hump.index;
    while (start > 0 && isOfName(text.charCodeAt(start - 1))) start -= 1;
    NOT_OF_NAME.lastIndex = hump.index;
    const end = NOT_OF_NAME.exec(text)?.index ?? text.length;
    addParts(text.slice(start, Math.min(end, start + MAX_WORD_CHARS + 1)), parts);
    HUMP.lastIndex = end;
  }
  return parts;
}

/** Those parts of `partsOf` that begin with an ASCII word in lower case, and perhaps some others. */
export function partsLike(text: string, word: string, parts: Set<string>): Set<string> {
  const lower = text.toLowerCase();
  // Positions in both texts are equal only if no letter became two letters.
  if (lower.length !== text.length) return partsOf(text, parts);
  let end = 0;
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, Math.max(at + 1, end))) {
    let start = at;
    while (start > end && isOfName(text.charCodeAt(start - 1))) start -= 1;
    NOT_OF_NAME.lastIndex = at;
    end = NOT_OF_NAME.exec(text)?.index ?? text.length;
    const name = text.slice(start, Math.min(end, start + MAX_WORD_CHARS + 1));
    HUMP.lastIndex = 0;
    if (HUMP.test(name)) addParts(name, parts);
  }
  return parts;
}

function addParts(name: string, parts: Set<string>): void {
  if (name.length > MAX_WORD_CHARS) return;
  const some = splitName(name);
  if (some.length > MAX_NAME_PARTS || name.length < some.length * MIN_PART_CHARS) return;
  for (const part of some) parts.add(part);
}

/** Splits before a capital that follows a small letter or a digit, and before the last of several capitals. */
function splitName(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const some: string[] = [];
  let start = 0;
  for (let at = 1; at < name.length; at++) {
    if (!isCapital(name.charCodeAt(at))) continue;
    if (isCapital(name.charCodeAt(at - 1)) && !isSmall(name.charCodeAt(at + 1))) continue;
    some.push(lower.slice(start, at));
    start = at;
  }
  some.push(lower.slice(start));
  return some;
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** True for characters of words in a folded text: letters and digits, and whatever is beyond ASCII. */
function isOfWord(code: number): boolean {
  return code > 127 || isOfName(code);
}

function isOfName(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** Finds an ASCII word in a text that writes it with other characters: accents, ligatures, escapes. Pure. */

import { wordsOf } from "@continuo/native/index-file";
import { escapedUnit, IS_ALPHANUMERIC, inFours, nextBeyondAscii, readingsAround } from "./bytes.ts";
import { mayBeAscii } from "./folds.ts";

const BACKSLASH = 0x5c;

export interface FoldedWord {
  /** True if the word may be in the bytes in another form than its own letters. */
  isIn(bytes: Buffer): boolean;
}

/** @param word of letters in lower case and digits; it may also be the beginning of a longer word, or a part of one */
export function createFoldedWord(word: string): FoldedWord {
  const sought = { word, pairs: pairsOf(word) };
  return { isIn: (bytes) => hasBeyondAscii(bytes, sought) || hasEscaped(bytes, sought) };
}

interface WordPattern {
  readonly word: string;
  /** Pairs of letters that are next to each other in the word, as numbers; any character may follow the last letter. */
  readonly pairs: ReadonlySet<number>;
}

function hasBeyondAscii(bytes: Buffer, sought: WordPattern): boolean {
  const fours = inFours(bytes);
  for (let at = nextBeyondAscii(bytes, fours, 0); at < bytes.length; ) {
    const [first, second] = [bytes[at] as number, bytes[at + 1] ?? 0];
    const isPossible =
      first >= 0xc3 && first <= 0xc9
        ? isLatin(bytes, at, sought)
        : mayBeAscii(first, second, bytes[at + 2] ?? 0);
    if (isPossible && isAround(bytes, at, sought)) return true;
    at += 1;
    // These are the other bytes of the character.
    while (at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at += 1;
    if (at < bytes.length && (bytes[at] as number) < 0x80) at = nextBeyondAscii(bytes, fours, at);
  }
  return false;
}

/** Bytes below 48 are neither letters nor digits. */
const FIRST_DIGIT = 0x30;

function hasEscaped(bytes: Buffer, sought: WordPattern): boolean {
  for (let at = bytes.indexOf("\\u"); at !== -1; at = bytes.indexOf("\\u", at + 2)) {
    const unit = escapedUnit(bytes, at);
    if (unit !== null && unit >= FIRST_DIGIT && isAround(bytes, at, sought)) return true;
  }
  return false;
}

/** Returns true if a letter with an accent, together with its neighbours, can be a piece of the word. */
function isLatin(bytes: Uint8Array, place: number, { word, pairs }: WordPattern): boolean {
  const base = baseOf(bytes[place] as number, bytes[place + 1] ?? 0);
  if (base === MANY) return true;
  if (base === NONE) return false;
  const before = bytes[place - 1] ?? 0;
  // The character before may be the letter or the last digit of an escape.
  const isEscape = bytes[place - 2] === BACKSLASH || bytes[place - 6] === BACKSLASH;
  if (IS_ALPHANUMERIC[before] === 1 && !isEscape && !pairs.has(pairOf(before, base))) return false;
  const after = bytes[place + 2] ?? 0;
  if (IS_ALPHANUMERIC[after] === 0) return word.includes(String.fromCharCode(base));
  return pairs.has(pairOf(base, after));
}

function pairOf(first: number, second: number): number {
  return ((first | 0x20) << 8) | (second | 0x20);
}

function pairsOf(word: string): ReadonlySet<number> {
  const codes = [...word].map((letter) => letter.charCodeAt(0));
  const inside = codes.slice(1).map((code, at) => pairOf(codes[at] ?? 0, code));
  const last = codes.at(-1) ?? 0;
  return new Set([...inside, ...Array.from({ length: 128 }, (_, code) => pairOf(last, code))]);
}

/** Marks a character that contributes no ASCII letter, and one that contributes several. */
const [NONE, MANY] = [0, 1];
const DOTTED_I = 0x130;
let bases: Uint8Array | null = null;

/** Returns the ASCII letter of a two-byte character with accents; its first byte is in the range C3 to C9. */
function baseOf(first: number, second: number): number {
  bases ??= makeBases();
  return bases[((first & 0x1f) << 6) | (second & 0x3f)] ?? MANY;
}

function makeBases(): Uint8Array {
  return Uint8Array.from({ length: 0x280 }, (_, codePoint) => {
    // The lower case of the dotted I has an ASCII letter, whatever its neighbours are.
    if (codePoint < 0xc0 || codePoint === DOTTED_I) return MANY;
    const text = wordsOf(String.fromCodePoint(codePoint)).join("");
    if (!/[a-z0-9]/u.test(text)) return NONE;
    return text.length === 1 ? text.charCodeAt(0) : MANY;
  });
}

function isAround(bytes: Buffer, place: number, { word }: WordPattern): boolean {
  const readings = readingsAround(bytes, place);
  return readings === null || readings.some((text) => wordsOf(text).some((one) => one.includes(word)));
}

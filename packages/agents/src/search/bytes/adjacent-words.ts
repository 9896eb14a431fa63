/**
 * Compares the words before and after a word that was found in bytes. Only a certain difference excludes a phrase,
 * because escapes and characters beyond ASCII may stand for anything, and a reader may join the strings of several
 * fields. Pure.
 */

import { IS_ALPHANUMERIC } from "./bytes.ts";

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
/** Letters that mean a character between words after a backslash. (`\u` begins the number of a character.) */
const CONTROLS: ReadonlySet<number> = new Set([..."nrtbf"].map((letter) => letter.charCodeAt(0)));
const U = 0x75;

interface Neighbours {
  readonly words: readonly string[];
  /** True if joined strings may contain the phrase, because its other words are somewhere in these bytes. */
  readonly mayBeJoined: () => boolean;
}

interface NextWord extends Neighbours {
  /** `true` if the last word may be the beginning of a longer one. */
  readonly isPrefix: true | undefined;
}

/** True if these words may follow the word that ends at the place. */
export function mayFollow(
  bytes: Uint8Array,
  end: number,
  { words, isPrefix, mayBeJoined }: NextWord,
): boolean {
  let place = end;
  for (const [at, word] of words.entries()) {
    // The previous word continues here, so it is a longer one.
    if (IS_ALPHANUMERIC[bytes[place] ?? 0] === 1) return false;
    const start = afterGap(bytes, place);
    if (start === "unclear") return true;
    if (start === "end") return mayBeJoined();
    const isLast = at === words.length - 1;
    const found = wordAt(bytes, start, word);
    if (found === "unclear") return true;
    if (found === "differs") return false;
    place = start + word.length;
    if (isLast && isPrefix !== true && IS_ALPHANUMERIC[bytes[place] ?? 0] === 1) return false;
  }
  return true;
}

/** Returns the start of the next word; `end` if the string ends before it. */
function afterGap(bytes: Uint8Array, place: number): number | "unclear" | "end" {
  let at = place;
  while (at < bytes.length && IS_ALPHANUMERIC[bytes[at] as number] === 0) {
    const byte = bytes[at] as number;
    if (byte >= 0x80) return "unclear";
    if (byte === QUOTE) return "end";
    at += 1;
    if (byte !== BACKSLASH) continue;
    const next = bytes[at] ?? 0;
    // The bytes do not show whether the letter belongs to the escape or to the text.
    if (next === U || next === BACKSLASH) return "unclear";
    if (CONTROLS.has(next) || next === QUOTE) at += 1;
  }
  return at;
}

/** True if these words, the nearest first, may precede a word that begins at a place. */
export function mayPrecede(bytes: Uint8Array, start: number, { words, mayBeJoined }: Neighbours): boolean {
  let place = start;
  for (const word of words) {
    const end = beforeGap(bytes, place);
    if (end === "unclear") return true;
    if (end === "none") return false;
    if (end === "start") return mayBeJoined();
    const found = wordAt(bytes, end - word.length, word);
    if (found === "unclear") return true;
    if (found === "differs") return false;
    place = end - word.length;
  }
  return true;
}

/**
 * Returns the end of the word before; `none` if the word that was found begins earlier, `start` if it is the first one
 * of its string.
 */
function beforeGap(bytes: Uint8Array, place: number): number | "unclear" | "none" | "start" {
  const before = bytes[place - 1] ?? 0;
  if (before >= 0x80 || bytes[place - 2] === BACKSLASH) return "unclear";
  if (IS_ALPHANUMERIC[before] === 1) return isEscaped(bytes, place) ? "unclear" : "none";
  let at = place;
  while (at > 0 && IS_ALPHANUMERIC[bytes[at - 1] as number] === 0) {
    const byte = bytes[at - 1] as number;
    if (byte >= 0x80 || byte === BACKSLASH || bytes[at - 2] === BACKSLASH) return "unclear";
    if (byte === QUOTE) return "start";
    at -= 1;
  }
  return bytes[at - 2] === BACKSLASH || isEscaped(bytes, at) ? "unclear" : at;
}

/** True if the bytes before a place may be the number of an escaped character. */
function isEscaped(bytes: Uint8Array, place: number): boolean {
  return bytes[place - 5] === U && bytes[place - 6] === BACKSLASH;
}

function wordAt(bytes: Uint8Array, start: number, word: string): "same" | "differs" | "unclear" {
  for (let at = 0; at < word.length; at++) {
    const byte = bytes[start + at] ?? 0;
    if (byte >= 0x80 || byte === BACKSLASH) return "unclear";
    if (lower(byte) !== word.charCodeAt(at)) return "differs";
  }
  return "same";
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

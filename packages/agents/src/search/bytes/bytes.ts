/**
 * Finds characters that are not plain ASCII in the bytes of JSON, and the words to which they belong. JSON can contain
 * a character as an escape. The arguments of a call are JSON inside a string of JSON, so they can contain a character
 * as an escape of an escape. Pure.
 */

/** The number of times that escapes are decoded: a record is JSON, and its strings can be JSON again. */
const DEPTHS = 3;
/** Longer words are not decoded: they count as a possible match. */
const MAX_TOKEN_BYTES = 2_048;

const BACKSLASH = 0x5c;
const U = 0x75;

/** True for ASCII letters and digits, by byte. */
export const IS_ALPHANUMERIC: Uint8Array = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  if (/[A-Za-z0-9]/u.test(String.fromCharCode(byte))) IS_ALPHANUMERIC[byte] = 1;
}

/**
 * Returns every possible reading of the word at `place`, with a few characters around it; `null` if the word is too
 * long.
 */
export function readingsAround(bytes: Buffer, place: number): readonly string[] | null {
  const start = startOfToken(bytes, place);
  const end = endOfToken(bytes, place);
  if (end - start > MAX_TOKEN_BYTES) return null;
  return readingsOf(bytes.toString("utf8", start, end));
}

/** The text as it is, then with its escapes decoded once, twice and so on. */
function readingsOf(text: string): readonly string[] {
  const readings = [text];
  for (let depth = 1; depth <= DEPTHS; depth++) {
    const before = readings[depth - 1] ?? "";
    if (!before.includes("\\")) break;
    readings.push(before.replace(ESCAPE, readEscape));
  }
  return readings;
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/gu;
const CONTROLS = "nrtbf";

function readEscape(_: string, hex: string | undefined, plain: string | undefined): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return CONTROLS.includes(plain ?? "") ? " " : (plain ?? "");
}

/** Returns the code unit of the escape `\uXXXX` that begins at `backslash`; `null` if no such escape begins there. */
export function escapedUnit(bytes: Uint8Array, backslash: number): number | null {
  if (bytes[backslash] !== BACKSLASH || bytes[backslash + 1] !== U) return null;
  let unit = 0;
  for (let at = backslash + 2; at < backslash + 6; at++) {
    const digit = HEX_DIGITS[bytes[at] ?? 0] ?? 0;
    if (digit === 0) return null;
    unit = unit * 16 + digit - 1;
  }
  return unit;
}

/** The value of a hexadecimal digit plus one, by byte; 0 for other bytes. */
const HEX_DIGITS: Uint8Array = new Uint8Array(256);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  HEX_DIGITS[digit.charCodeAt(0)] = value + 1;
  HEX_DIGITS[digit.toUpperCase().charCodeAt(0)] = value + 1;
}

/** If an escape such as `\n` comes directly before the word, its letter counts as a part of the word. */
function startOfToken(bytes: Uint8Array, place: number): number {
  let start = place;
  while (start > 0 && place - start <= MAX_TOKEN_BYTES) {
    const before = bytes[start - 1] ?? 0;
    if (before >= 0x80 || IS_ALPHANUMERIC[before] === 1) start -= 1;
    else if (before === BACKSLASH && bytes[start] === U) start -= 1;
    else if (before === BACKSLASH && bytes[start] === BACKSLASH) start -= 1;
    else break;
  }
  return start;
}

function endOfToken(bytes: Uint8Array, place: number): number {
  let end = place;
  while (end < bytes.length && end - place <= MAX_TOKEN_BYTES) {
    const byte = bytes[end] ?? 0;
    if (byte >= 0x80 || IS_ALPHANUMERIC[byte] === 1) end += 1;
    else if (byte === BACKSLASH && isBeforeUnit(bytes, end)) end += 1;
    else break;
  }
  return end;
}

/** True if the backslashes at a place belong to `\uXXXX`. */
function isBeforeUnit(bytes: Uint8Array, place: number): boolean {
  let at = place;
  while (bytes[at + 1] === BACKSLASH && at - place < DEPTHS * 4) at += 1;
  return escapedUnit(bytes, at) !== null;
}

/**
 * Returns the position of the first byte that is not ASCII, from `from` on; the length of `bytes` if there is none.
 * Four bytes are compared at a time.
 */
export function nextBeyondAscii(bytes: Uint8Array, words: Uint32Array | null, from: number): number {
  let at = from;
  const { length } = bytes;
  if (words !== null) {
    // `words` begins with the first byte whose place in memory is a multiple of four.
    const shift = -bytes.byteOffset & 3;
    while (at < length && ((at - shift) & 3) !== 0) {
      if ((bytes[at] as number) >= 0x80) return at;
      at += 1;
    }
    let word = (at - shift) >> 2;
    while (word < words.length && ((words[word] as number) & 0x80808080) === 0) word += 1;
    at = Math.max(at, shift + word * 4);
  }
  while (at < length && (bytes[at] as number) < 0x80) at += 1;
  return Math.min(at, length);
}

/** The bytes four at a time, for `nextBeyondAscii`. */
export function inFours({ buffer, byteOffset, length }: Uint8Array): Uint32Array | null {
  const shift = -byteOffset & 3;
  const count = (length - shift) >> 2;
  return count > 0 ? new Uint32Array(buffer, byteOffset + shift, count) : null;
}

/**
 * Finds words with characters beyond ASCII: each character of the bytes is turned into a piece of text, and the pieces
 * are compared with those of the words. Pure.
 */

import { escapedUnit, inFours, nextBeyondAscii } from "./bytes.ts";
import { type Piece, pieceOf, takeApart } from "./folds.ts";

/** Returns true if the words may be in the bytes, one after the other. One word must have a character beyond ASCII. */
export function hasOtherWords(bytes: Buffer, words: readonly string[]): boolean {
  const letters = takeApart(words.join(""));
  const wanted = letters.slice(letters.search(/[^\0-\x7f]/u));
  const fours = inFours(bytes);
  for (let at = nextBeyondAscii(bytes, fours, 0); at < bytes.length; ) {
    if (mayBegin(bytes, at, wanted)) return true;
    at += sizeOf(bytes[at] as number);
    if (at < bytes.length && (bytes[at] as number) < 0x80) at = nextBeyondAscii(bytes, fours, at);
  }
  for (let at = bytes.indexOf("\\u"); at !== -1; at = bytes.indexOf("\\u", at + 2)) {
    if (mayBegin(bytes, at, wanted)) return true;
  }
  return false;
}

function mayBegin(bytes: Uint8Array, start: number, wanted: string): boolean {
  const first = characterAt(bytes, start);
  const { type, text } = pieceOf(first.codePoint);
  if (type === "between" || !text.includes(wanted.slice(0, 1))) return false;
  // The first of several letters may belong to the character before, as a mark does.
  if (text.length > 1 || type === "mark") return true;
  return mayContinue(bytes, first.end, wanted.slice(1));
}

/** Compares until something differs. The end of a word, an escape or a mark may stand for any text. */
function mayContinue(bytes: Uint8Array, start: number, wanted: string): boolean {
  let left = wanted;
  for (let place = start; left !== "" && place < bytes.length; ) {
    const { codePoint, end } = characterAt(bytes, place);
    const piece: Piece = pieceOf(codePoint);
    if (piece.type === "between") return true;
    if (piece.text.startsWith(left)) return true;
    if (!left.startsWith(piece.text)) return piece.type === "mark";
    left = left.slice(piece.text.length);
    place = end;
  }
  return true;
}

interface DecodedCharacter {
  readonly codePoint: number;
  readonly end: number;
}

const REPLACEMENT = 0xfffd;

/** An escape counts as the character that it stands for. */
function characterAt(bytes: Uint8Array, place: number): DecodedCharacter {
  const first = bytes[place] as number;
  if (first < 0x80) {
    const unit = escapedUnit(bytes, place);
    return unit === null ? { codePoint: first, end: place + 1 } : pairAt(bytes, place, unit);
  }
  const size = sizeOf(first);
  let codePoint = first & (0xff >> (size + 1));
  for (let at = place + 1; at < place + size; at++) codePoint = (codePoint << 6) | ((bytes[at] ?? 0) & 0x3f);
  return { codePoint: codePoint <= 0x10ffff ? codePoint : REPLACEMENT, end: place + size };
}

/** Two escapes can stand for one character. */
function pairAt(bytes: Uint8Array, place: number, high: number): DecodedCharacter {
  const low = high >= 0xd800 && high < 0xdc00 ? escapedUnit(bytes, place + 6) : null;
  if (low === null || low < 0xdc00 || low > 0xdfff) return { codePoint: high, end: place + 6 };
  return { codePoint: 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), end: place + 12 };
}

/** Returns the length of the character that begins with this byte; 1 for a byte that begins no character. */
function sizeOf(first: number): number {
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/**
 * Maps characters to the letters that they become when words are folded (`wordsOf`), so that bytes can be searched for
 * a word before they are decoded. Pure.
 */

import { wordsOf } from "@continuo/native/index-file";

/** Words as they are compared: folded, and taken apart so that each character of a text gives a piece of its own. */
export function takeApart(folded: string): string {
  return folded.normalize("NFD").replaceAll("ς", "σ");
}

/**
 * - `letters`: contributes its piece to a word
 * - `mark`: contributes its piece, which may be empty, in an order that depends on its neighbours
 * - `between`: ends a word
 */
export interface Piece {
  readonly type: "letters" | "mark" | "between";
  readonly text: string;
}

const known = new Map<number, Piece>();
const MAX_KNOWN = 20_000;
const MARK = /^\p{M}$/u;

export function pieceOf(codePoint: number): Piece {
  const before = known.get(codePoint);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const piece = makePiece(String.fromCodePoint(codePoint));
  known.set(codePoint, piece);
  return piece;
}

function makePiece(character: string): Piece {
  // A mark is a part of a word only after a letter.
  if (MARK.test(character)) {
    return { type: "mark", text: takeApart(wordsOf(`x${character}`).join("")).slice(1) };
  }
  const text = takeApart(wordsOf(character).join(""));
  return { type: text === "" ? "between" : "letters", text };
}

/**
 * True if a character that begins with these bytes of UTF-8 may contribute an ASCII letter or digit, or vanish, as
 * accents do. Most special characters in English texts (dashes, quotes, frames, pictures) cannot do this.
 */
export function mayBeAscii(first: number, second: number, third: number): boolean {
  if (first < 0xe1) return first >= 0xc3 ? first <= 0xcd : first === 0xc2 && second >= 0xaa;
  switch (first) {
    case 0xe1:
      return second >= 0xb4;
    case 0xe2:
      return LETTERLIKE.has(second);
    case 0xe3:
      return second >= 0x88 && second <= 0x8f;
    case 0xea:
      return second >= 0x9c;
    case 0xef:
      return second >= 0xac;
    case 0xf0:
      return (
        second === 0x9d || second === 0x9c || second === 0x90 || (second === 0x9f && ENCLOSED.has(third))
      );
    default:
      return false;
  }
}

/** Superscripts and subscripts, letterlike signs, numbers, enclosed letters, Latin Extended-C. */
const LETTERLIKE: ReadonlySet<number> = new Set([0x81, 0x82, 0x84, 0x85, 0x86, 0x91, 0x92, 0x93, 0xb1]);
/** Enclosed letters and digits, and seven-segment digits. */
const ENCLOSED: ReadonlySet<number> = new Set([0x84, 0x85, 0x86, 0x87, 0x88, 0xaf]);

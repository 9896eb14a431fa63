/** Finds the lines of a file that may contain a phrase. Pure. */

import type { Phrase } from "../query/index.ts";
import { createAsciiWord } from "./ascii-word.ts";
import { createFoldedWord } from "./folded-word.ts";
import { hasOtherWords } from "./unicode-word.ts";

export interface CandidateLine {
  /** The line without its line end. */
  readonly bytes: Buffer;
  /** False for a last line that may still be written to. */
  readonly isEnded: boolean;
  /** The phrase is in the line at most this many times. */
  readonly hits: number;
}

export interface LineFinder {
  /**
   * Yields lines in the order of the file. For a phrase of ASCII words it finds only the plain letters; for any other
   * phrase it finds all forms.
   */
  linesIn(bytes: Buffer): Generator<CandidateLine, void, void>;
  /** True if the phrase may be in lines that `linesIn` leaves out, because they write it with accents or escapes. */
  hasOtherForms(bytes: Buffer): boolean;
}

const LINE_FEED = 0x0a;

export function createLineFinder({ words }: Phrase): LineFinder {
  if (!words.every((word) => /^[\0-\x7f]+$/u.test(word))) {
    const has = (line: Buffer): boolean => hasOtherWords(line, words);
    return { linesIn: (bytes) => testedLines(bytes, has), hasOtherForms: () => false };
  }
  const anchor = words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
  const [word, folded] = [createAsciiWord(anchor), createFoldedWord(anchor)];
  return {
    *linesIn(bytes) {
      for (let at = word.find(bytes, 0); at !== -1; ) {
        const start = bytes.lastIndexOf(LINE_FEED, at) + 1;
        const end = endOfLine(bytes, at);
        let hits = 0;
        while (at !== -1 && at < end) {
          hits += 1;
          at = word.find(bytes, at + 1);
        }
        yield { bytes: bytes.subarray(start, end), isEnded: end < bytes.length, hits };
      }
    },
    hasOtherForms: (bytes) => folded.isIn(bytes),
  };
}

function* testedLines(bytes: Buffer, has: (line: Buffer) => boolean): Generator<CandidateLine, void, void> {
  for (let start = 0; start < bytes.length; ) {
    const end = endOfLine(bytes, start);
    const line = bytes.subarray(start, end);
    if (has(line)) yield { bytes: line, isEnded: end < bytes.length, hits: line.length };
    start = end + 1;
  }
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LINE_FEED, from);
  return end === -1 ? bytes.length : end;
}

/** The words of a picture that were read with confidence, line by line. Pure. */

import { cutText } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";

interface Word {
  readonly line: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly text: string;
}

const LETTER = /[\p{L}\p{N}]/u;
/** A line without such a word is a pattern in the picture, and not writing. */
const WRITING = /[\p{L}\p{N}]{3}/u;

/** `table` is Tesseract's output as TSV. Empty if nothing was read with confidence. */
export function sureText(table: string): string {
  const lines = Map.groupBy(wordsIn(table), ({ line }) => line);
  return cutText([...lines.values()].flatMap(lineOf).join("\n"), LIMITS.readTextChars);
}

function lineOf(words: readonly Word[]): readonly string[] {
  const sure = words.filter(({ confidence }) => confidence >= LIMITS.sureWord);
  // Bullets are read as some other character.
  const first = sure.findIndex(({ text }) => LETTER.test(text));
  const kept = first < 0 ? [] : sure.slice(first);
  const mean = kept.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, kept.length);
  const isWriting = mean >= LIMITS.sureLine && kept.some(({ text }) => WRITING.test(text));
  return isWriting ? [kept.map(({ text }) => text).join(" ")] : [];
}

/**
 * A row has a level (5 for a word), the numbers of its page, block, paragraph, line and word, its box, its confidence
 * and its text.
 */
function wordsIn(table: string): readonly Word[] {
  return table.split("\n").flatMap((row) => {
    const [level, page, block, paragraph, line, , , , , , confidence, text = ""] = row.split("\t");
    if (level !== "5" || text.trim() === "") return [];
    const place = [page, block, paragraph, line].join("/");
    return [{ line: place, confidence: Number(confidence), text: text.trim() }];
  });
}

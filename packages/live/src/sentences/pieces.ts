/** The parts of a piece: words with their times, and marks of sounds, which are separate. */

import { segmenterOf } from "./content-words.ts";
import { LIMITS } from "./limits.ts";
import type { Piece, TimedWord } from "./types.ts";

export type SpeechToken =
  | { readonly type: "words"; readonly words: readonly TimedWord[] }
  | { readonly type: "sound"; readonly text: string; readonly startMs: number; readonly endMs: number };

interface Token {
  readonly text: string;
  readonly isJoined: boolean;
  readonly isTurn: boolean;
}

/** `[Music]`, `(applause)`, `♪ la la ♪` */
const SOUND =
  /(\[[^[\]]{1,60}\]|\((?=[^()]{0,60}\b(?:music|applause|laughter|laughs|cheering|musik|beifall|lachen)\b)[^()]{1,60}\)|♪[^♪]{0,300}♪|[♪♫]+)/iu;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const FIRST_WITHOUT_SPACES = 0x0e00;
const TURN = /^(?:>>+|&gt;&gt;|[-–—](?=\s))\s*/u;

export function speechTokensOf(piece: Piece): readonly SpeechToken[] {
  const text = piece.text.slice(0, LIMITS.pieceChars).normalize("NFC").replace(/\s+/gu, " ").trim();
  const whole = Math.max(1, text.length);
  const timeAt = (at: number): number =>
    Math.round(piece.startMs + ((piece.endMs - piece.startMs) * at) / whole);
  const parts: SpeechToken[] = [];
  let at = 0;
  for (const [n, part] of text.split(SOUND).entries()) {
    const [startMs, endMs] = [timeAt(at), timeAt(at + part.length)];
    if (n % 2 === 1) parts.push({ type: "sound", text: part, startMs, endMs });
    else {
      const words = timed(tokensOf(part, piece.lang), { startMs, endMs, sequence: piece.sequence });
      if (words.length > 0) parts.push({ type: "words", words });
    }
    at += part.length;
  }
  return parts;
}

function timed(
  tokens: readonly Token[],
  { startMs, endMs, sequence }: Pick<Piece, "startMs" | "endMs" | "sequence">,
): readonly TimedWord[] {
  const sizes = tokens.map(({ text }) => text.length + 1);
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  let before = 0;
  return tokens.map(({ text, isJoined, isTurn }, n) => {
    const after = before + (sizes[n] ?? 0);
    const [s, e] = [before, after].map((at) => Math.round(startMs + ((endMs - startMs) * at) / whole));
    before = after;
    return {
      t: text,
      s: s ?? startMs,
      e: e ?? endMs,
      p: sequence,
      ...(isJoined ? { j: 1 as const } : {}),
      ...(isTurn ? { n: 1 as const } : {}),
    };
  });
}

function tokensOf(text: string, lang: string | undefined): readonly Token[] {
  const tokens: Token[] = [];
  let isTurn = false;
  for (const spaced of text
    .replace(/(>>+|&gt;&gt;)/gu, " >> ")
    .trim()
    .split(" ")) {
    if (spaced === "") continue;
    if (spaced === ">>" || (tokens.length === 0 && TURN.test(`${spaced} `))) {
      isTurn = true;
      continue;
    }
    for (const [n, part] of splitWord(spaced, lang).entries()) {
      tokens.push({
        text: part,
        isJoined: n > 0 || isGlued(spaced, tokens.at(-1)?.text),
        isTurn: isTurn && n === 0,
      });
    }
    isTurn = false;
  }
  return tokens;
}

/** Splits a text of a script without spaces into words, each with the punctuation that follows it. */
function splitWord(word: string, lang: string | undefined): readonly string[] {
  if (!WITHOUT_SPACES.test(word)) return [word];
  const parts: string[] = [];
  for (const { segment, isWordLike } of segmenterOf(lang).segment(word)) {
    const last = parts.length - 1;
    if (isWordLike === true || last < 0) parts.push(segment);
    else parts[last] += segment;
  }
  return parts;
}

/** True if no space belongs between two words of different pieces or lines. */
export function isGlued(next: string, before: string | undefined): boolean {
  return (
    before !== undefined && WITHOUT_SPACES.test(next.slice(0, 1)) && WITHOUT_SPACES.test(before.slice(-2))
  );
}

/** Returns 1 for a word; a word of a script without spaces counts 0.5 for each character. */
export function unitsOf(word: string): number {
  // Most words need no pattern: scripts without spaces begin later in Unicode than the others.
  const isEarly = word.charCodeAt(0) < FIRST_WITHOUT_SPACES;
  return !isEarly && WITHOUT_SPACES.test(word) ? word.length / 2 : 1;
}

/** Makes a word comparable: it has only small letters and digits, and no punctuation. */
export function plainWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

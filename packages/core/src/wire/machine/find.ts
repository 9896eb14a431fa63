/** A search in one session: `GET /v1/machine/sessions/KEY/find?words=WORDS`. */

/**
 * A message with the words, in any letter case and with or without accents: in its texts and thinking, in calls or in their
 * results.
 */
export interface FoundMessage {
  readonly messageId: string;
  /** 0-based place in the history, and the 1-based turn. */
  readonly index: number;
  readonly turn: number;
  readonly at: string | null;
  /** Pieces of the text around the first word, in order. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
}

/** The newest message first. The parameters `before=INDEX` and `limit` (1 to 500, 50 by default) are those of a window. */
export interface SessionSearchResult {
  readonly found: readonly FoundMessage[];
  /**
   * - `message`: each message has every word
   * - `turn`: no message has every word; each one has a word, and its turn has every word
   * - `word`: no turn has every word; each message has a word
   */
  readonly match: "message" | "turn" | "word";
  /** The `before` for earlier messages; `null` if there are none, and always where `match` is not `message`. */
  readonly next: number | null;
  /** Messages that match and were left out, because `limit` was reached: 0 where `next` leads to them. */
  readonly leftOut: number;
}

/**
 * The Latin, Greek and Cyrillic letters with an accent. Letters without one are left out where most of a text consists of
 * them, as in Russian. `İ` is the only letter that is longer in lower case.
 */
const WITH_ACCENT =
  /[\u00c0-\u024f\u0386-\u0390\u03aa-\u03b0\u03ca-\u03ce\u0400\u0401\u0403\u0407\u040c-\u040e\u0419\u0439\u0450\u0451\u0453\u0457\u045c-\u045e\u1e00-\u1fff]/gu;
/** Each letter with an accent and its base: a few hundred at most. */
const bases = new Map<string, string>();

/**
 * Text as this search compares it: in lower case and without accents, as in the search of all sessions. Each character keeps
 * its place, so that a match can be marked in the original text.
 */
export function searchableText(text: string): string {
  return text.replace(WITH_ACCENT, withoutAccent).toLowerCase().replaceAll("ς", "σ");
}

function withoutAccent(letter: string): string {
  const known = bases.get(letter);
  if (known !== undefined) return known;
  const base = letter.normalize("NFD").slice(0, 1);
  bases.set(letter, base);
  return base;
}

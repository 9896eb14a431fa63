/** A search in one session: `GET /v1/machine/sessions/KEY/find?words=WORDS`. */

/**
 * A message that contains searched words: in its texts, its thinking, its calls or their results. Letter case and
 * accents do not matter.
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

/**
 * The newest message is first. `limit` is 1 to 500 messages, 50 by default; `before=INDEX` returns only messages before
 * this place in the history.
 */
export interface SessionSearchResult {
  readonly found: readonly FoundMessage[];
  /**
   * - `message`: each message has every word
   * - `turn`: no message has every word; each found message has at least one word, and its turn has every word
   * - `word`: no turn has every word; each found message has at least one word
   */
  readonly match: "message" | "turn" | "word";
  /**
   * The value of `before` that returns earlier messages; `null` if there are none, and always `null` if `match` is not
   * `message`.
   */
  readonly next: number | null;
  /** The number of messages that match but were left out because `limit` was reached; 0 if `next` leads to them. */
  readonly leftOut: number;
}

/**
 * The ranges of Latin, Greek and Cyrillic letters with an accent. The plain letters of Greek and Cyrillic are not in
 * them, because a text in Russian, for example, consists mostly of plain letters. Only `İ` has more characters in lower
 * case than in upper case; it loses its accent first.
 */
const WITH_ACCENT =
  /[\u00c0-\u024f\u0386-\u0390\u03aa-\u03b0\u03ca-\u03ce\u0400\u0401\u0403\u0407\u040c-\u040e\u0419\u0439\u0450\u0451\u0453\u0457\u045c-\u045e\u1e00-\u1fff]/gu;
/** The base letter of each letter that `WITH_ACCENT` has matched so far: fewer than a thousand entries. */
const bases = new Map<string, string>();

/**
 * Returns the text as this search compares it: in lower case and without accents, as in the search of all sessions.
 * Each character keeps its place, so that a match can be marked in the original text.
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

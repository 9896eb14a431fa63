/** A search in one session: `GET /v1/machine/sessions/KEY/find?words=WORDS`. */

/** A message that contains all words, in upper or lower case: in its texts and thinking, in calls or in their results. */
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
  /** The `before` for earlier messages; `null` if there are none. */
  readonly next: number | null;
}

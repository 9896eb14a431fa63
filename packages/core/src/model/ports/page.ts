/** Pages of lists: a list is read a page at a time, by a cursor that only the store makes and reads. */

export interface PageOptions {
  /** 1 to 1000; 100 if none is given. */
  readonly limit?: number;
  /** `nextCursor` of the page before. Errors: `invalid` for anything else. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

/** The options that every call accepts in addition to its own. */
export interface CallOptions {
  /** Gives up waiting. A write that was already sent may still happen. */
  readonly signal?: AbortSignal;
}

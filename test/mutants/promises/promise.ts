/** Promises of a room as data, each with a mistake of meaning that breaks it and the test that finds the mistake. */

export interface PromiseOfRoom {
  /** One sentence that a caller of the room relies on. */
  readonly promise: string;
  /** The file of the mistake, below the root. */
  readonly file: string;
  /** The text that is replaced. It occurs once in the file. */
  readonly text: string;
  readonly mistake: string;
  /** The quick test that fails, below the root. */
  readonly test: string;
}

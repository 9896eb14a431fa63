/** Every limit of what is drawn, in one place. */

export const DRAWING_LIMITS = {
  /** The lines of a request that are shown with its question; the rest is shown when the person presses a key. */
  requestLines: 40,
  /** Lines of a result, and of a change, that are shown. */
  resultLines: 6,
  changeLines: 24,
  /** Lines of a change that a person is asked about. */
  askedChangeLines: 80,
  /** Text that is kept until a block of it is complete. */
  pendingChars: 16_384,
  /** The part of a result or an input that is read. */
  shownChars: 200_000,
  /** Calls without a result, and ids of messages, that are remembered. */
  openCalls: 64,
  heardMessages: 256,
  /** The number of typed lines that are shown before they are sent. */
  waitingLines: 3,
  /** Steps of a plan that are shown. */
  planEntries: 12,
} as const;

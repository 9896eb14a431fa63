/** Every limit of the machine's answers, in one place. */

export const MACHINE_LIMITS = {
  /** Rows of one page. */
  pageSessions: 100,
  /** Folders, agents and tags that a page counts. */
  projects: 200,
  /** The number of sessions that are read for the first answer, before the others. */
  firstSessions: 200,
  /**
   * The time in milliseconds for which a list is kept: ten times as long as its reading took, but at least `listMs` and
   * at most `mostListMs` (`mostFirstListMs` for the first list). Sessions that begin within this time appear later.
   */
  listMs: 1_000,
  mostFirstListMs: 3_000,
  mostListMs: 30_000,
  /** Milliseconds between an answer from the last list and the new list that is made after it. */
  renewPauseMs: 300,
  /** The time in milliseconds for which the newest sessions serve as a first answer. */
  newestMs: 60_000,
  /** On a slow connection, a page may need this many milliseconds after the answer before it follows the rows. */
  sentBeforeMs: 60_000,
  /** Milliseconds between two checks of the list for pages that follow it. */
  followMs: 2_000,
  /** After this many milliseconds a search answers with what it found so far. A page that waits asks again. */
  searchMs: 2_000,
  /** Searches that run at the same time. */
  textSearches: 4,
  /** Messages that one search in a session returns, and words that it takes. */
  foundMessages: 50,
  findWords: 20,
  /** Sessions that a search finds. */
  foundSessions: 1_000,
  /** Milliseconds between two writes of values that were computed for rows. */
  saveMs: 2_000,
  /** The largest session whose usage is computed for the list, and the number of rows whose usage is remembered. */
  usageBytes: 16_777_216,
  knownUsages: 50_000,
  /** The rows of one request to the index, and the milliseconds after which a row is looked up there again. */
  lookedUsages: 100,
  lookAgainMs: 60_000,
  /** Edits and problems of a repair, characters of a record in it, and reasons of a receipt. */
  edits: 200,
  remaining: 50,
  recordChars: 2_000,
  reasons: 200,
  /** Running turns and waiting prompts in the answer about health. */
  healthRuns: 100,
  healthWaiting: 1_000,
  /**
   * Hidden sessions that one answer names, and the number of days ahead for which it counts sessions that will be
   * deleted.
   */
  hiddenSessions: 200,
  dueDays: 5,
  /** Characters of a name in an error. */
  namedChars: 200,
} as const;

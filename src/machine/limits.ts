/** Every limit of the machine's answers, in one place. */

export const MACHINE_LIMITS = {
  /** Rows of one page. */
  pageSessions: 100,
  maxPageSessions: 500,
  /** Folders and agents that a page counts. */
  projects: 200,
  /** Sessions that are looked at for the first answer, before all are. */
  firstSessions: 200,
  /**
   * Milliseconds for which a list is not made again; after a list that took longer, ten times as long as it took, within a limit:
   * what begins meanwhile is not seen.
   */
  listMs: 1_000,
  mostFirstListMs: 3_000,
  mostListMs: 30_000,
  /** Milliseconds for which the newest sessions stand for a first answer: as long as the address of a page works. */
  newestMs: 60_000,
  /** Milliseconds between two looks at the list for those who follow it. */
  followMs: 2_000,
  /** Milliseconds in which a search brings the index up to date before it answers. */
  indexMs: 2_000,
  /** Messages that a search in one session finds at once, and words of it. */
  foundMessages: 50,
  maxFoundMessages: 500,
  findWords: 20,
  /** Sessions that a search finds. */
  foundSessions: 1_000,
  /** Bytes of a session of which the usage is worked out for the list, and rows of which it is remembered. */
  usageBytes: 16_777_216,
  knownUsages: 50_000,
  /** Edits and problems of a repair, characters of a record in it, reasons of a receipt. */
  edits: 200,
  remaining: 50,
  recordChars: 2_000,
  reasons: 200,
  /** Turns that run, and prompts that wait, in the answer about health. */
  healthRuns: 100,
  healthWaiting: 1_000,
  /** Characters of a name in an error. */
  namedChars: 200,
} as const;

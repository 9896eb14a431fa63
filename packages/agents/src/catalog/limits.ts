/** Every limit of the catalog, in one place. */

export const CATALOG_LIMITS = {
  /** The number of sessions of the store that are read at a time. */
  pageSessions: 500,
  /** The number of newest own sessions that a list reads: a person does not read more. */
  ownSessions: 20_000,
  /** Sessions that an ambiguous id lists. */
  matches: 20,
  /** Sessions that a completion offers. */
  candidates: 60,
  /** The greatest number of pages of an agent's own list. */
  toldPages: 1_000,
  /** The number of events that are read of an own session if only its end is needed: one or two screens. */
  newestEvents: 400,
  /** Milliseconds between two checks of a followed session. */
  followMs: 250,
  /** The bytes of a session in a database that are read again to find what is new. */
  followWindowBytes: 64_000,
  /** The number of checks after which the session is looked up again: it may have another file. */
  followLooks: 20,
  /** Number of failed look-ups in a row after which a session counts as gone. */
  followMissed: 12,
  /** The milliseconds for which opened texts serve other searches. */
  keptTextsMs: 10_000,
  /** The age in milliseconds after which opened texts are opened again for the next search. */
  renewTextsMs: 3_000,
  /** Milliseconds without a search before texts are opened again. */
  renewPauseMs: 300,
  /**
   * The number of files, those that changed last, that each search checks before it uses texts that were opened
   * earlier.
   */
  watchedFiles: 256,
  /** Names of changed files in the facts of a row, and characters of one text. */
  rowFiles: 3,
  rowChars: 240,
  /** The number of folders whose repositories are marked, so that the file stays below a megabyte. */
  projects: 2_000,
  /** Tags of a session, bytes of the file of marks, and milliseconds of the wait for another writer of that file. */
  tags: 20,
  markBytes: 16_777_216,
  markMs: 5_000,
  /** The bytes below which a session is read as fast as its scan is found in the index. */
  indexedScanBytes: 2_000_000,
  /** A time that is longer than a tick of the clock that stamps files. */
  followTickMs: 100,
} as const;

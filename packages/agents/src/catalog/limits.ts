/** Every limit of the catalog, in one place. */

export const CATALOG_LIMITS = {
  /** Sessions of the store that are read at a time. */
  pageSessions: 500,
  /** Own sessions that a list looks at, the newest first: a person reads no more. */
  ownSessions: 20_000,
  /** Sessions that an ambiguous id lists. */
  matches: 20,
  /** Sessions that a completion offers. */
  candidates: 60,
  /** Pages of an agent's own list. */
  toldPages: 1_000,
  /** Events that are read of a session of Continuo's own where only its end is wanted: a screen or two. */
  newestEvents: 400,
  /** Milliseconds between two looks at a session that is followed. */
  followMs: 250,
  /** Number of reads after which the session is looked up again: it may have another file. */
  followLooks: 20,
  /** Number of failed look-ups in a row after which a session counts as gone. */
  followMissed: 12,
  /**
   * The time for which opened texts serve other searches, in milliseconds; the age after which they are opened again for
   * the next search; the number of files, those that changed last, that each search looks at in the meantime.
   */
  keptTextsMs: 10_000,
  renewTextsMs: 3_000,
  /** Milliseconds without a search before they are opened again. */
  renewPauseMs: 300,
  watchedFiles: 256,
  /** Names of changed files in the facts of a row, and characters of one text. */
  rowFiles: 3,
  rowChars: 240,
  /** Folders whose repositories are marked: the file of them stays below a megabyte. */
  projects: 2_000,
  /** Tags of a session, bytes of the file of marks, and milliseconds of the wait for another writer of it. */
  tags: 20,
  markBytes: 16_777_216,
  markMs: 5_000,
  /** Longer than a tick of the clock that stamps files. */
  followTickMs: 100,
} as const;

/** Every limit of what is kept of a session, in one place. */

export const HISTORY_LIMITS = {
  /** Bytes at the end of a session that are read before all of it, and a session that is read whole at once. */
  tipBytes: 262_144,
  smallBytes: 1_048_576,
  /** Sessions that are kept, and messages of all of them. */
  keptSessions: 8,
  keptMessages: 600_000,
  /** Messages of a window, and characters of its JSON. */
  windowMessages: 100,
  maxWindowMessages: 500,
  windowChars: 2_000_000,
  /** Messages before the one that a window is around. */
  aroundMessages: 10,
  /** Characters of one text in a window, of all texts of one message, and of the texts after that. */
  textChars: 32_768,
  messageChars: 262_144,
  restChars: 1_024,
  /** Objects, lists and texts in one message. */
  messageNodes: 20_000,
  /** Characters of one answer about the rest of a text. */
  textAnswerChars: 262_144,
  /** Milliseconds between two looks at a session that somebody follows. */
  followMs: 250,
  /** Milliseconds of work after which others have their turn. */
  sliceMs: 10,
  /** Turns of one answer, and what is kept of one turn. */
  outlineTurns: 1_000,
  maxOutlineTurns: 5_000,
  outlineMarks: 2_000,
  outlineFiles: 500,
  turnMarks: 200,
  turnFiles: 500,
  openCalls: 1_000,
  markChars: 200,
  lookedChars: 100_000,
  /** Files of one answer about changes, changes of one file, and lines of all of them. */
  changedFiles: 2_000,
  fileChanges: 200,
  changeLines: 20_000,
  /** Branches and problems of one answer. */
  branches: 500,
  problems: 500,
  /** Messages of all branches that are looked at to find where they part. */
  branchMessages: 50_000,
  /** Bytes of a session whose model view is worked out: all of it is in memory for that. */
  modelViewBytes: 268_435_456,
} as const;

/** Every limit of kept histories, in one place. */

export const HISTORY_LIMITS = {
  /** The bytes at the end of a session that are read first. */
  tipBytes: 262_144,
  /** The longest part of the end that is read for a reader who scrolls back before the whole session was read. */
  mostTipBytes: 4_194_304,
  /** A smaller session is read completely at once. */
  smallBytes: 1_048_576,
  /** The number of cached sessions, and of the messages of all of them together. */
  keptSessions: 8,
  keptMessages: 600_000,
  /** Messages in a window, and characters of its JSON. */
  windowMessages: 100,
  windowChars: 2_000_000,
  /** Messages before the one around which a window is built. */
  aroundMessages: 10,
  /** Characters of one text in a window, of all texts of one message, and of each text after these are used up. */
  textChars: 32_768,
  messageChars: 262_144,
  restChars: 1_024,
  /** Objects, lists and texts in one message. */
  messageNodes: 20_000,
  /** Characters of one answer with the rest of a text. */
  textAnswerChars: 262_144,
  /** Milliseconds between two checks of a session that a page follows. */
  followMs: 250,
  /** Milliseconds of work before other requests run. */
  sliceMs: 10,
  /** Turns in one answer, and limits of what is kept for one turn. */
  outlineTurns: 1_000,
  outlineMarks: 2_000,
  outlineFiles: 500,
  turnMarks: 200,
  turnFiles: 500,
  openCalls: 1_000,
  markChars: 200,
  /** Files in one answer about changes, changes in one file, and lines of all of them. */
  changedFiles: 2_000,
  fileChanges: 200,
  changeLines: 20_000,
  /** The number of messages after a call in which its result is searched. */
  resultMessages: 50,
  /** Branches and problems in one answer. */
  branches: 500,
  problems: 500,
  /** The number of messages of all branches that are read to find where they part. */
  branchMessages: 50_000,
  /** The largest session for which a model view is computed, because that needs all of it in memory. */
  modelViewBytes: 268_435_456,
} as const;

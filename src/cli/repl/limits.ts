/** Every limit of the REPL, in one place. */

export const REPL_LIMITS = {
  historyEntries: 500,
  historyBytes: 262_144,
  /** The size of one stored entry. */
  entryChars: 16_384,
  /** The size of the input while an agent answers. */
  aheadChars: 65_536,
  /** After a pause of this length in a line, the person is assumed to see the question that appeared. */
  typingMs: 1_000,
  /** A program that still runs after this time was not stopped. */
  suspendMs: 100,
  /** The size of one paste. */
  pasteChars: 8_388_608,
  /** Pastes of several lines that are remembered. */
  pastes: 64,
  /** A paste of this length is shown as a mark, even if it is one line. */
  shownPasteChars: 500,
  /** The number of files that one line can name, and the part of them that is read. */
  attachedFiles: 20,
  attachedBytes: 5_242_880,
  /** The time in which the desktop must give the picture of its clipboard. */
  clipboardMs: 5_000,
  /** Entries of a folder that Tab searches. */
  lookedThrough: 10_000,
  /** The part of a command's output that the agent receives. */
  shellChars: 65_536,
  /** The time within which a command must end after it was asked to. */
  shellEndMs: 2_000,
  /** Running turns of other programs that are remembered, messages of each, and lines that wait for a pause. */
  otherTurns: 16,
  otherMessages: 200,
  otherLines: 400,
  /** The newest turns of this program that are known as its own. */
  ownRuns: 1_000,
  sessionRows: 15,
  candidates: 40,
} as const;

/** Every limit of the REPL, in one place. */

export const REPL_LIMITS = {
  historyEntries: 500,
  historyBytes: 262_144,
  /** The size of one stored entry. */
  entryChars: 16_384,
  /** The size of the input while an agent answers. */
  aheadChars: 65_536,
  /** After a pause of this length in a line, the person is taken to see the question that came up. */
  typingMs: 1_000,
  /** A program that still runs then was not stopped. */
  suspendMs: 100,
  /** The size of one paste. */
  pasteChars: 8_388_608,
  /** Pastes of several lines that are remembered. */
  pastes: 64,
  /** A paste that long is shown as a mark, even when it is one line. */
  shownPasteChars: 500,
  /** Files that one line names, and what of them is read. */
  attachedFiles: 20,
  attachedBytes: 5_242_880,
  /** The time in which the desktop must give the picture of its clipboard. */
  clipboardMs: 5_000,
  /** Entries of a folder that Tab looks through. */
  lookedThrough: 10_000,
  /** The part of a command's output that the agent receives. */
  shellChars: 65_536,
  /** The time in which a command must end that was asked to. */
  shellEndMs: 2_000,
  sessionRows: 15,
  candidates: 40,
} as const;

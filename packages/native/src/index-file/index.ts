/**
 * The index: one SQLite file that keeps facts about sessions, so that lists and searches are fast.
 *
 * Promises: a cache that may be deleted at any time; private; safe with many processes, and after a kill at any moment;
 * an answer is valid for one path, size, inode and time of change of a file; a newer index is not touched.
 * Does not know: any format, how results are ranked, or how they are shown.
 */

export { filesOfCall } from "./call-files.ts";
export {
  type FillOptions,
  type FillProgress,
  type FillResult,
  fillText,
  type OpenText,
  type PreviousScan,
  removeText,
  storedScan,
  type TextSource,
} from "./fill.ts";
export { type IndexState, indexPathOf, removeIndex, useIndex } from "./index-database.ts";
export { MAX_TEXT_CHARS } from "./limits.ts";
export { asOneStep, type HistoryStep, type TextSteps } from "./resume-point.ts";
export { isSettled, openRows, stampOf } from "./rows.ts";
export {
  bestTurns,
  countTurns,
  createPassageReader,
  createSourceReader,
  passagesOf,
  type RankedTurnsQuery,
  rankedTurns,
  type SourceReader,
  type StoredSession,
  scoreTurns,
  stampsOfSessions,
  storedSessions,
  TURN_TIME,
  type TurnCondition,
  type TurnMatch,
  turnsByIds,
} from "./stored-text.ts";
export { type Passage, type Turn, turnOfMessage, turnsOf, VOICES, type Voice } from "./turns.ts";
export { meanWordsOf } from "./word-totals.ts";
export { countSequence, countWords, foldedText, foldWords, partsLike, partsOf, wordsOf } from "./words.ts";

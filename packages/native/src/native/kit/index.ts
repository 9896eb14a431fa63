/**
 * The reading half of the port of an agent (find, skim, open), and what the readers share.
 *
 * Promises of every implementation:
 * - nothing is written, no agent is started, no path found inside a session is opened
 * - `find` opens no session that its name and folder already identify
 * - `skim` parses the head and the tail of a file; its row equals the one that `open` returns
 * - `open` holds the largest record and an index of at most 200 bytes per record (small files: all of it)
 * - anything unexpected is a `Problem`; only a file that cannot be opened at all is an error
 *
 * Does not know: any format.
 */

export { chainMessages } from "./chain-messages.ts";
export {
  createLineColumns,
  hasFlag,
  type LineColumns,
  makeRoom,
  placeOf,
  setPlace,
  withRoom,
} from "./columns.ts";
export { readSessionFolder, type SessionFolder } from "./folders.ts";
export { isSpoken } from "./has-conversation.ts";
export { createIdTable, findId, type IdTable, internId, textOfId } from "./ids.ts";
export {
  foundIn,
  NO_KNOWN_FILES,
  placeOfKnown,
  sessionIdOfLine,
  toKnownLine,
  updatedAtOfLine,
} from "./known-sessions.ts";
export { keepMessage, type MessageParts, withContent } from "./lazy-message.ts";
export { firstLineOf, hasField, isAlone, standsOnce } from "./line-reader.ts";
export { createToolPairs, noteCall, noteResult, pairProblems, type ToolPairs } from "./pairs.ts";
export {
  type AgentReader,
  type AncestorFiles,
  type BeforeResumeOptions,
  type EndedProgram,
  type FindBatchOptions,
  type FindOptions,
  type FindTitle,
  type FoundBatch,
  type FoundFile,
  type FoundSession,
  type HistoryCounts,
  type HistoryOptions,
  type HistorySteps,
  type KnownFiles,
  type LineMessage,
  type LineReader,
  type MemoKey,
  NO_MEMO,
  type OpenedSession,
  type OpenOptions,
  type Places,
  type SavedSkimMemo,
  type SkimMemo,
  type SkimOptions,
  type StepMessages,
} from "./port.ts";
export { addProblem, allProblems, createProblemList, type ProblemList } from "./problem-list.ts";
export { readHead } from "./read-head.ts";
export {
  movedPath,
  NOTHING_RELOCATED,
  type PathKeys,
  type Relocate,
  type RelocatedFile,
  type RelocatedRows,
  type Relocation,
  type RelocationPart,
  type RepositoryMarks,
  withMovedPaths,
} from "./relocation.ts";
export type {
  AgentRetention,
  FoundRow,
  RestoredFile,
  RetentionSetting,
  SessionEnd,
} from "./retention.ts";
export { type RowFacts, rowOfFiles } from "./row.ts";
export type { SavedScan, ScanPosition } from "./saved-scan.ts";
export { type SkimSteps, skimLines, skimStart, type TailKnowledge } from "./skim-lines.ts";
export { headerProblems, skimRow, tornProblems } from "./skim-row.ts";
export { itself, MOST_IMAGE_TYPES, type TargetRules } from "./target-rules.ts";
export { PIECE_BYTES, type TestBytes, testFiles } from "./test-bytes.ts";
export { toGivenTitle, toOneLine, toTitle } from "./title.ts";
export type { DatabaseRows, FilesPlan, IndexLines, RowsPlan, TableRows, TrashPlan } from "./trash-plan.ts";
export { cutCircles, followed, pathTo } from "./tree.ts";
export { knownUpdatedAt, rememberedUpdatedAt } from "./updated-at.ts";
export type {
  AgentVisibility,
  CauseFacts,
  FileFix,
  HiddenOptions,
  HiddenSession,
  IndexChange,
  RowFix,
  VisibilityFix,
} from "./visibility.ts";
export { goneFolders } from "./visibility.ts";

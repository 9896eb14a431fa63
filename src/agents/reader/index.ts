/**
 * The port that every agent's folder implements, and the floor of `agents/` sees: find, skim, open.
 *
 * Promises of every implementation:
 * - nothing is written, no agent is started, no path found inside a session is opened
 * - `find` opens no session that its name and folder already identify
 * - `skim` parses the head and the tail of a file; its row equals the one that `open` gives
 * - `open` holds the largest record and an index of at most 200 bytes a record (small files: all of it)
 * - what is odd becomes a `Problem`; only a file that cannot be opened at all is an error
 *
 * Does not know: any format.
 */

export { type Column, withRoom } from "./columns.ts";
export { canonicalFolder, namesIn, readJsonFile, readSmallFile, statFile } from "./folders.ts";
export { continuoHome, HOME_VARIABLES } from "./home.ts";
export { createIdTable, type IdTable } from "./ids.ts";
export { hasOnly, isJson, type Json, optional, parseCommented, textField, toTime } from "./json.ts";
export { NO_MEMO } from "./no-memo.ts";
export { createToolPairs, noteCall, noteResult, pairProblems, type ToolPairs } from "./pairs.ts";
export type {
  AgentReader,
  FindOptions,
  FoundFile,
  FoundSession,
  HistoryOptions,
  MemoKey,
  OpenedSession,
  OpenOptions,
  Places,
  SkimMemo,
  SkimOptions,
} from "./port.ts";
export { createProblemList, MAX_PROBLEMS_PER_CODE, type ProblemList } from "./problem-list.ts";
export { processStartOf } from "./process-start.ts";
export { toSignal } from "./signal.ts";
export { type LastsKnown, type SkimmedEnds, type SkimSteps, skimLines, skimStart } from "./skim-lines.ts";
export { shorten, toGivenTitle, toOneLine, toTitle } from "./title.ts";
export type { FilesPlan, IndexLines, RowsPlan, TableRows, TrashPlan } from "./trash-plan.ts";
export { cutCircles, followed, pathTo } from "./tree.ts";
export { addUsage } from "./usage.ts";

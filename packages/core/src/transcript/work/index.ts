/**
 * The work in a session, read from its calls and their results: edits of files with exact lines, commits, runs of
 * tests, the facts that open a session, and the edits that wrote the lines of a file.
 *
 * Promises: pure; no model is asked; each fact comes from the session, and names its turn; a failed call counts as no
 * work.
 * Does not know: files as they are now, what commands did to files, prices.
 */

export { commandOf, exitCodeOf, outputOf, scriptOf, withoutColours } from "./commands.ts";
export { type Commit, commitsOf } from "./commits.ts";
export type { FileEdit } from "./file-edit.ts";
export { fileEditsOf } from "./file-edits.ts";
export { type DiffOfFile, type Hunk, type HunkLine, linesOf, parseUnifiedDiff } from "./hunks.ts";
export { isTelling, type LineOrigins, type LineWriter, lineOrigins } from "./line-origins.ts";
export { createNetFold, type NetChange, type NetFold } from "./net-change.ts";
export { createPaths, type Paths } from "./paths.ts";
export { type FactsOptions, type FactsTurn, factsOfTurns, sessionFacts } from "./session-facts.ts";
export { createTurnWork, foldWork, MAX_WORK_CHARS, type TurnWork, type WorkBudget } from "./turn-work.ts";

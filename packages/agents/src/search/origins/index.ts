/**
 * The work of sessions with the turns that did it: edits of files, and commits.
 *
 * Promises: each session is read once; sessions that are not read are counted; an edit that several sessions contain
 * belongs to the first of them.
 * Does not know: the file or the commit of the question, how sessions are found.
 */

export { readFileLines } from "./file-lines.ts";
export { ORIGIN_LIMITS } from "./limits.ts";
export {
  editsOfSessions,
  type PlacedCommit,
  type PlacedEdit,
  type WorkPlace,
} from "./session-edits.ts";
export {
  compareText,
  createSessionReader,
  type ReadSession,
  type SessionReader,
} from "./session-reader.ts";

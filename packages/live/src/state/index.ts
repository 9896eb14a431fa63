/**
 * The state of a continuous session: the fold of its log, its snapshots, and the follower that keeps it up to date.
 *
 * Promises: a restored state equals the fold of the whole log; memory stays bounded while evidence waits.
 * Does not know: how evidence arrives, who owns a session, how notes are written.
 */

export { countsByType, nextLevel, shed, storesTelemetry } from "./back-pressure.ts";
export { budgetOf, budgetState, usedShare } from "./budget.ts";
export { checkpointRetryMs, isDueCheckpoint, writeCheckpoint } from "./checkpoint.ts";
export { readRepairs, recordRepairs } from "./ended-repairs.ts";
export {
  AUDIO_KIND,
  addEvent,
  addToPending,
  depthOf,
  emptyFold,
  type LiveFold,
  ledgerCursor,
  type OpenRequest,
  type OwedBatch,
  type PendingAudio,
} from "./fold.ts";
export { acknowledge, Follower, stateOf } from "./follower.ts";
export { addNoteEvent, type NoteEntry, roomForNotes } from "./note-entries.ts";
export { isSpentOnPage } from "./page-mark.ts";
export { hasRoom, type PendingEvidence, refill } from "./pending-evidence.ts";
export {
  assertDegraded,
  assertTranscriber,
  assertWritable,
  ended,
  stateOfFold,
  writerNamed,
} from "./preconditions.ts";
export { inspectLog, restore } from "./restore.ts";
export { contextHash, SNAPSHOT_NAME, unseal } from "./snapshot.ts";
export { acceptsInput, isFinal, nextState, type Trigger } from "./state-machine.ts";

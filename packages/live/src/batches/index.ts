/**
 * Batches: when one begins, the call of the note writer, and the decision on its drafts.
 *
 * Promises: a batch is decided once; evidence stays pending until then; critical evidence is never dropped.
 * Does not know: which server owns a session.
 */

export { type Lane, lanesOf, runTurn } from "./batches.ts";
export {
  type ComparedDraft,
  type ComparedNote,
  type DraftDecision,
  decideDrafts,
  isUnsure,
  type Rule,
} from "./decide.ts";
export { decideUnanswered, draftEvent } from "./decide-batch.ts";
export { draftIn } from "./drafts.ts";
export { LaneWork } from "./lane-work.ts";
export { idsOf } from "./note-request.ts";
export { owedIn, redoOwed } from "./redo-batches.ts";

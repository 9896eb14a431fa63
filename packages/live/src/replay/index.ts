/**
 * Replay: makes the notes of a session again, from recorded decisions or by a model, and compares them.
 *
 * Promises: a changed or missing event lowers the agreement; nothing is written to the session.
 * Does not know: when a replay is due.
 */

export {
  type Disagreement,
  parseReplayContext,
  parseReplayMode,
  type ReplayReport,
  replayEvents,
  replayRecorded,
} from "./replay.ts";
export { type ReplayCall, replayWithModel } from "./replay-model.ts";
export type { PageReplay } from "./replay-page.ts";

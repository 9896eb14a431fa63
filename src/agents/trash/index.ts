/**
 * The trash: native sessions moved out of their agent's sight, and back.
 *
 * Promises: what comes back is byte for byte what went, with its time stamps; a deletion that is cut off can
 * be restored; nothing is deleted for good unless asked to; what is open, or read by a fork, does not go.
 * Does not know: any agent. Each agent's `trashPlan` says what a session consists of.
 */

export {
  emptyTrash,
  listTrash,
  moveToTrash,
  restoreFromTrash,
  type TrashedSession,
  type TrashOptions,
  trashFolder,
} from "./trash.ts";

/**
 * The trash: moves native sessions to where their agent does not find them, and back.
 *
 * Promises: a restored session equals the deleted one byte for byte, with its time stamps; the next edit undoes or
 * finishes an interrupted deletion; a session can be restored until the trash is emptied; a session that is open, or
 * that a fork reads, is not moved.
 * Does not know: any agent. The `trashPlan` of each agent lists the files of a session.
 */

export { layInTrash, layRowsInTrash, type TrashFile, type TrashRows, takeOutOfTrash } from "./lay-in.ts";
export { layOutTrashed, type ReadableTrash, trashedFiles } from "./lay-out.ts";
export {
  byNewestDeletion,
  findManifest,
  listTrash,
  namedInTrash,
  oneInTrash,
  type TrashedSession,
  type TrashListing,
  trashFolder,
} from "./manifest.ts";
export { columnsOf, type KeptRow, type KeptTable, selectRows } from "./row-json.ts";
export { changeRows } from "./rows.ts";
export {
  emptyTrash,
  moveToTrash,
  type Replacement,
  restoreFromTrash,
  settleEmpty,
  settleRestore,
  settleTrash,
} from "./trash.ts";

/**
 * Repairs of native sessions, as a draft: lines to remove, change and add, each with a reason.
 *
 * Promises: a sound line stays the same, byte for byte; every change has a reason.
 * Does not know: any format, or where the result is written. Each agent implements `NativeRepairer`.
 */

export {
  addBefore,
  addBehind,
  change,
  type DraftLine,
  droppedResultsOf,
  editsOf,
  moveBehind,
  type RecordLine,
  type RepairDraft,
  type RepairEdit,
  remainingLines,
  remove,
  rewrite,
} from "./draft.ts";
export { bytesOf, draftOf } from "./lines.ts";
export { createLinks, type Links } from "./links.ts";
export type { NativeRepairer, RepairContext, RowRepair, RowRepairer } from "./repairer.ts";
export { MAX_MENDED_BYTES, readToMend, refuseTakenPlace, refuseTooLarge, repaired } from "./whole-file.ts";

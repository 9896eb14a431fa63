/**
 * Repairs of native sessions, as a draft: the lines of a file, and what is removed, changed and added to make it
 * whole, each with its reason. What each agent needs is a `NativeRepairer` in its folder.
 *
 * Promises: a line that nothing is wrong with stays as it is, byte for byte; nothing is changed without a reason.
 * Does not know: any format, or where what was mended is written.
 */

export {
  addBehind,
  change,
  type Draft,
  type DraftLine,
  editsOf,
  present,
  type RecordLine,
  type RepairEdit,
  remove,
  rewrite,
} from "./draft.ts";
export { bytesOf, draftOf } from "./lines.ts";
export { createLinks, type LinkNames, type Links } from "./links.ts";
export type {
  NativeRepairer,
  RepairContext,
  Repaired,
  RowRepair,
  RowRepairer,
} from "./repairer.ts";

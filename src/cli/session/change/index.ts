/**
 * The commands that change sessions: rename, pin, archive, tag, fork, repair, delete, restore, trash.
 *
 * Promises: each command reports what it changed, and asks before it deletes or repairs many sessions; the keys of
 * `--json` are a contract.
 * Does not know: how the files of an agent are changed.
 */

export { type DeleteFlags, runDelete } from "./delete.ts";
export { type ForkFlags, runFork } from "./fork.ts";
export { type MarkVerb, runMark, runTag, type TagFlags } from "./marks.ts";
export { runRename } from "./rename.ts";
export { type RepairFlags, runRepair } from "./repair.ts";
export { runRepairAll } from "./repair-all.ts";
export { type RestoreFlags, runRestore } from "./restore.ts";
export { runTrash, type TrashFlags } from "./trash.ts";

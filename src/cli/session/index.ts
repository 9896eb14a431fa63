/**
 * `continuo session …`: list, info, show, check, export, rename, fork, repair, delete, restore, trash.
 *
 * Promises: reads only, but for `rename`, `fork`, `repair` with a flag, `delete`, `restore` and `trash --empty`; the keys of `--json`.
 * Does not know: how arguments are split, or what becomes of an error.
 */

export { addSessionCommands, SESSION_COMMANDS } from "./commands.ts";
export { EXPORT_FORMATS, type ExportFormat } from "./export-flags.ts";
export { drawWork, everythingWork, exportWork, listWork, showWork } from "./work.ts";

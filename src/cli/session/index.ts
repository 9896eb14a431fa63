/**
 * `continuo session …`: list, info, show, check, export, copy, rename, fork, repair, delete, restore, trash.
 *
 * Promises: only `rename`, `fork`, `repair` with a flag, `delete`, `restore` and `trash --empty` write; the keys of
 * `--json` are a contract.
 * Does not know: how arguments are parsed, or how an error is shown.
 */

export { addSessionCommands, SESSION_COMMANDS } from "./commands.ts";
export type { ExportFormat } from "./export/index.ts";
export {
  deleteWork,
  drawWork,
  exportToWork,
  exportWork,
  forkWork,
  infoWork,
  listWork,
  renameWork,
  restoreWork,
  showTurnWork,
  showWork,
} from "./work.ts";

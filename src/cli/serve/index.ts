/**
 * `continuo serve`: runs the server on this machine and keeps its token for other commands.
 *
 * Promises: the token is written only to a private file; SIGTERM and Ctrl-C close the server without cutting off a
 * request.
 * Does not know: what the server answers.
 */

export { addServeCommand, DEFAULT_LISTEN } from "./commands.ts";
export { readTokenFile, tokenFileOf } from "./token-file.ts";
export {
  HAS_PAGE_NAMES,
  machineWork,
  newPageName,
  preferencesFileOf,
  reporterTo,
  stopSignal,
  viewerFolder,
} from "./work.ts";

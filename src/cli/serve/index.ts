/**
 * `continuo serve`: runs the server on this machine and keeps its token for other commands; and `continuo acp`, which
 * serves the sessions of this machine to an editor.
 *
 * Promises: the token is written only to a private file; SIGTERM and Ctrl-C close the server without cutting off a
 * request; to an editor only the protocol is written, and messages for people go to standard error.
 * Does not know: what the server answers.
 */

export { addAcpCommand, addServeCommand, DEFAULT_LISTEN } from "./commands.ts";
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

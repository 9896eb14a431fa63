/**
 * Continuo's own sessions, the rows of the store, beside the native ones: listed, found by an id, opened.
 *
 * Promises: the store is loaded only where its file is there, is never made, and is not changed; a conversation
 * that is both is one row, Continuo's own. Does not know: how anything is shown, nor how a run is made.
 */

export { checkOwn, type OwnCheck } from "./check.ts";
export { deleteOwn } from "./delete.ts";
export { type Located, locateAny } from "./locate.ts";
export { openLocated, readTranscript, type ShownDetails, type ShownSession } from "./opened.ts";
export { ownStoreUrl } from "./place.ts";
export {
  isOwn,
  isSame,
  type ListedSession,
  nameOf,
  nativeRefsOf,
  OWN,
  type OwnRow,
  withNative,
} from "./rows.ts";
export { findOwn, listOwn, type OpenOwn, openOwn } from "./store.ts";

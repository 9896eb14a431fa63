/**
 * Prepares sessions for the viewer: a history in windows, with its outline and its changes, and the viewer's page with
 * sessions inside, as one file.
 *
 * Promises: a history is kept outside of memory; every answer is bounded; a page is made piece by piece and loads
 * nothing from elsewhere; a page that would be too large is refused.
 * Does not know: how a session is opened, who asks, where a page is written.
 */

export { type BranchPath, toBranches } from "./branches.ts";
export { type CachedHistory, createCachedHistory, keepHistory, toKept } from "./cached-history.ts";
export { type HeadNames, type ReadHistory, toHead, toMachineProblem, toMachineSession } from "./head.ts";
export { BELOW, keyOf, keysOf, subagentKey } from "./keys.ts";
export { HISTORY_LIMITS } from "./limits.ts";
export { changedFiles, changesOfFile, factsOf, type OutlineQuery, outlineOf, seenFromOf } from "./outline.ts";
export { MAX_PAGE_BYTES, type PageRequest, pageOf } from "./page.ts";
export { SHOWN_IMAGES, toShownMessage } from "./rendered-message.ts";
export type { PageHistory, PageSession } from "./saved-history.ts";
export { readPageTemplate } from "./template.ts";
export {
  indexOf,
  positionOf,
  tipWindow,
  type WindowQuery,
  windowMessageAt,
  windowOf,
} from "./window.ts";

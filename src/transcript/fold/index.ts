/**
 * The fold: events into messages, one at a time.
 *
 * Promises: pure; every type of the table of event types is decided on; what leaves nothing in the transcript
 * is counted. A message, once given out, is never changed: a later event puts another one in its place.
 * Does not know: stores, budgets.
 */

export { createDraft, type Draft } from "./draft.ts";
export { usageOf } from "./facts.ts";
export { finishFold, foldEvent } from "./fold.ts";
export { type Layers, layersOf } from "./lookup.ts";
export {
  type Facts,
  type FoldState,
  type LeftOutReason,
  type LooseState,
  NO_FACTS,
  type OpenCall,
} from "./state.ts";

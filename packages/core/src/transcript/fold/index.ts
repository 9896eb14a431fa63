/**
 * The fold from events to messages, one event at a time.
 *
 * Promises: pure; the fold decides about every event type of the table; events without a message are counted. A
 * returned message never changes: a later event replaces it with a new one.
 * Does not know: stores, budgets.
 */

export { toUsage } from "./content.ts";
export { createDraft, type TranscriptDraft } from "./draft.ts";
export { usageOf } from "./facts.ts";
export { finishFold, foldEvent } from "./fold.ts";
export { type Layers, layersOf } from "./lookup.ts";
export type {
  Facts,
  FoldState,
  LeftOutReason,
  LooseState,
} from "./state.ts";

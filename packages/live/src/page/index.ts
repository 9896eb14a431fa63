/**
 * The page of a session: its summary, chapters, decisions and open questions, written in passes.
 *
 * Promises: each pass is one event with the whole page; what a person edited, accepted or removed stays in every later
 * pass; an item keeps its id as long as it is the same one.
 * Does not know: when a pass is due, and which server owns the session.
 */

export { outlineItems, readSpeech, type SpeechLog } from "./extract-page.ts";
export { revisionEvents, writeWithModel } from "./model-pass.ts";
export {
  itemsAfter,
  itemsBeyond,
  itemsWithTail,
  pageEvent,
  pageHash,
  type WrittenPage,
} from "./page-items.ts";
export { pageOperationEvent, parsePageOperation } from "./page-operations.ts";
export { carriedPage, type PreviousPage, readPage, readPageBefore } from "./read-page.ts";

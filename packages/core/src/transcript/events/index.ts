/**
 * Events as the transcript reads them: with every name of a key resolved, and in order.
 *
 * Promises: pure; events with equal keys keep the order in which they came.
 * Does not know: what an event becomes.
 */

export { type EventEntry, type EventLike, logIdOf, sequenceOf, toEntry } from "./entry.ts";
export { inOrder } from "./order.ts";
export { anyField, type Fields, isFields, numberField, textField, wordsOf } from "./payload.ts";

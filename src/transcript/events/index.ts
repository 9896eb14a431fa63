/**
 * Events as the transcript reads them: under every name that their keys go by, and in order.
 *
 * Promises: pure; the order of equals is the order in which they were given.
 * Does not know: what is made of an event.
 */

export { type Entry, type EventLike, sequenceOf, timeOf, toEntry } from "./entry.ts";
export { inOrder, type Ordered } from "./order.ts";
export { anyField, type Fields, isFields, numberField, textField, wordsOf } from "./payload.ts";

/**
 * `TranscriptBuilder`: builds a transcript from events or from a store, and updates it.
 *
 * Promises: the same events give the same transcript, in one fold or in several updates; an update costs the new
 * events and one copy of the array of messages; the `last…` fields describe the log that was read.
 * Does not know: agents, runs, what a caller does with a transcript.
 */

export { type FromEventsOptions, fromEvents } from "./from-events.ts";
export { type FromStoreOptions, fromStore, readForBudget, updateFromStore } from "./from-store.ts";
export type { TranscriptSource } from "./read-newest.ts";
export type { Transcript, TranscriptMetadata, ViewOptions } from "./transcript.ts";

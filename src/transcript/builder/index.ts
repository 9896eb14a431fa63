/**
 * `TranscriptBuilder`: transcripts from events, from a store, and brought up to date.
 *
 * Promises: the same events give the same transcript, whether folded at once or in updates; an update costs
 * what is new and one copy of the array of messages; `last…` fields are those of the log read.
 * Does not know: agents, runs, what is done with a transcript.
 */

export { type FromEventsOptions, fromEvents } from "./from-events.ts";
export { type FromStoreOptions, fromStore, type TranscriptSource, updateFromStore } from "./from-store.ts";
export type { Transcript, TranscriptMetadata, ViewOptions } from "./transcript.ts";

/**
 * TanStack AI on a store of Continuo: the durability of its streams, so that a reader can resume, in any process, a
 * stream that another process has written.
 *
 * Promises: a chunk is stored before its offset is returned; a batch is stored completely or not at all, even if there
 * are other writers; a reader has each chunk after its offset once, in order.
 * Does not know: models, requests of a chat, engines of the store.
 */

export { type ContinuoStreamOptions, continuoStream, type RunOfStream } from "./continuo-stream.ts";

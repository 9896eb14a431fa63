/**
 * TanStack AI on a store of Continuo: the durability of its streams, so that a reader resumes in any process what another one
 * has written.
 *
 * Promises: a chunk is stored before its offset is returned; a batch is stored whole or not at all, beside other writers too; a
 * reader has each chunk after its offset once, in order.
 * Does not know: models, requests of a chat, engines of the store.
 */

export { type ContinuoStreamOptions, continuoStream, type RunOfStream } from "./continuo-stream.ts";

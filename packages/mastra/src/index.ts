/**
 * Mastra on a store of Continuo: the memory domain of its storage, which keeps threads, messages and working memory.
 *
 * Promises: a call is stored completely or not at all, and is decided on everything that is stored, even if several
 * processes write; reads answer as Mastra's own memory does. Does not know: agents, models, the other domains of
 * Mastra's storage.
 */

export { ContinuoMemoryStorage, type ContinuoMemoryStorageOptions } from "./memory-storage.ts";

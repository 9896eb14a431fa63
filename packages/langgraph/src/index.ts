/**
 * LangGraph.js on a store of Continuo: a checkpointer, and a long-term memory that threads share.
 *
 * Promises: a thread is a session of the store, so it is listed, exported and deleted as every session is; a checkpoint
 * is stored whole or not at all; a graph whose process was killed continues with nothing lost and nothing doubled.
 * Does not know: graphs, nodes, engines of the store.
 */

export { ContinuoMemory, type ContinuoMemoryOptions } from "./memory.ts";
export { ContinuoSaver, type ContinuoSaverOptions } from "./saver.ts";

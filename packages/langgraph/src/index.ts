/**
 * LangGraph.js on a store of Continuo: a checkpointer, and a long-term memory that threads share.
 *
 * Promises: a thread is a session of the store, so it is listed, exported and deleted as every session is; a checkpoint
 * is stored whole or not at all; if its process was killed, a graph continues, and nothing is lost or stored twice.
 * Does not know: graphs, nodes, engines of the store.
 */

export { ContinuoMemory, type ContinuoMemoryOptions } from "./memory.ts";
export { ContinuoSaver, type ContinuoSaverOptions } from "./saver.ts";

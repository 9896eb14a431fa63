/**
 * For adapters of agent frameworks: a session that is made at its first append, a state that is folded from its log,
 * and bytes that are stored in an event or as a blob.
 *
 * Promises: a change is decided with everything that is stored, even if many processes write; a call that waits for a
 * store that does not answer never stores anything twice.
 * Does not know: the frameworks.
 */

export { type AdapterSession, adapterLog, adapterSession } from "./adapter-session.ts";
export { FoldedLog, type FoldedLogOptions } from "./folded-log.ts";
export { blobOf, type KeptBytes, keepBytes, keptBytes } from "./kept-bytes.ts";
export { KeyedQueue } from "./keyed-queue.ts";

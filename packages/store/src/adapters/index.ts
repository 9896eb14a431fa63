/**
 * For adapters of agent frameworks: a session that is made at its first append, a state that is folded from its log,
 * and bytes that are kept in an event or beside it.
 *
 * Promises: a change is decided on everything that is stored, however many processes write; a call that waits for a
 * store without an answer never stores twice.
 * Does not know: the frameworks.
 */

export { type AdapterSession, adapterLog, adapterSession } from "./adapter-session.ts";
export { FoldedLog, type FoldedLogOptions } from "./folded-log.ts";
export { InOrder } from "./in-order.ts";
export { blobOf, type KeptBytes, keepBytes, keptBytes } from "./kept-bytes.ts";

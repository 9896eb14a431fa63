/**
 * Types and transcripts, which every program of Continuo shares; clients and the wire have entries of their own.
 *
 * Promises: no module of Node, no file, no process.
 * Does not know: stores, agents, servers.
 */

export * from "./model/index.ts";
export * from "./transcript/index.ts";

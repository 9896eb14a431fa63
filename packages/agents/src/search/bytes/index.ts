/**
 * Searches bytes for the words of a query, before anything of them is decoded or parsed.
 *
 * Promises: pure; what holds the words is never excluded, in whatever way its JSON writes them: letter case, accents,
 * ligatures, escapes. Text that is not excluded may still lack them.
 * Does not know: which bytes belong to a session, or what a text is.
 */

export { type ByteFilter, createByteFilter } from "./byte-filter.ts";
export { type CandidateLine, createLineFinder, type LineFinder } from "./candidate-lines.ts";

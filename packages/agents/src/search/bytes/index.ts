/**
 * Searches bytes for the words of a query, before the bytes are decoded or parsed.
 *
 * Promises: pure; text with the words is never excluded, whatever form its JSON gives them: letter case, accents,
 * ligatures, escapes. Text that is not excluded may still lack the words.
 * Does not know: which bytes belong to a session, or what a text is.
 */

export { type ByteFilter, createByteFilter } from "./byte-filter.ts";
export { type CandidateLine, createLineFinder, type LineFinder } from "./candidate-lines.ts";

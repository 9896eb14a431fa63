/**
 * Records of a file: bytes and lines with their places, on which every reader of a file format is built.
 *
 * Promises: nothing is written; memory is bounded (`limits.ts`); a damaged line is a problem with its line number,
 * never an exception.
 * Does not know: any agent, or what a record means.
 */

export { type ByteSource, openBytes, openForReading, toReadError } from "./bytes.ts";
export { MAX_RECORD_DEPTH, parseJson, TooDeepError } from "./depth.ts";
export { isCompressed, linesBackwards, type RawLine } from "./ends.ts";
export { exactOf, keepExact, parseExactly } from "./exact.ts";
export { MAX_RECORD_BYTES } from "./limits.ts";
export {
  keptBytes,
  type LineFile,
  type LinePlace,
  type LineRecord,
  type LinesPosition,
  openLines,
} from "./lines.ts";

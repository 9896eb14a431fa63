/**
 * Records of files: bytes, lines, their places. What every reader of a file format stands on.
 *
 * Promises: nothing is written; what is held in memory is bounded (`limits.ts`); a damaged line is
 * a problem with its line number, never an exception.
 * Does not know: any agent, or what a record means.
 */

export { type ByteSource, openBytes, toReadError } from "./bytes.ts";
export { type BackwardsOptions, isCompressed, linesBackwards, type RawLine } from "./ends.ts";
export { MAX_RECORD_BYTES } from "./limits.ts";
export {
  keptBytes,
  type LineFile,
  type LinePlace,
  type LineRecord,
  openLines,
  type ScanOptions,
} from "./lines.ts";

/**
 * The search without an index: sessions are searched in their own files.
 *
 * Promises: a session that matches is found, however its JSON writes the words; only sessions whose bytes hold the
 * words are parsed; files are read in separate threads, so that they do not block the caller's event loop; a turn
 * matches, and ranks, as it does in the index.
 * Does not know: which sessions there are, what is indexed, or how results are shown.
 */

export type { NativeSource } from "./batches.ts";
export { createFileSearch } from "./file-search.ts";
export { createScan, type ScanResult } from "./scan.ts";
export { createScanThreads, type ScanThreads } from "./scan-threads.ts";
export { withTimeLimit } from "./time-limit.ts";

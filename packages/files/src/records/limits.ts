/** The limits for reading records. */

import { getHeapStatistics } from "node:v8";

/** A longer record is a problem (`too_large`), not a reason to run out of memory. */
export const MAX_RECORD_BYTES: number = 256 * 1024 * 1024;

/**
 * Up to this size of a file, the parsed records are kept between the two passes of a reader. The records of a larger
 * file are read again.
 */
export const KEEP_PARSED_BYTES: number = 8 * 1024 * 1024;

/**
 * The same limit for a caller that goes through all records several times, as a hand-over does. The messages that it
 * holds have the same texts as the parsed records, which therefore need little more memory. The limit is lower for a
 * small heap.
 */
export const KEEP_ALL_BYTES: number = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 32);

/**
 * The largest read of a scan. The first read is smaller and the next ones grow, because many readers need only the
 * head.
 */
export const CHUNK_BYTES: number = 1024 * 1024;
export const FIRST_CHUNK_BYTES: number = 8 * 1024;

/** The bytes around a record that are read together with it, because its neighbours come next. */
export const FETCH_WINDOW_BYTES: number = 256 * 1024;

/** Bytes after which a scan lets other work of the process run. */
export const YIELD_EVERY_BYTES: number = 8 * 1024 * 1024;

/**
 * The largest expansion of a compressed file, as a multiple of its size: agents' files expand 5 to 50 times. Any file
 * may expand to `ALWAYS_EXPANDED_BYTES`, so that a short file of repetitions stays readable.
 */
export const MAX_EXPANSION_RATIO: number = 250;
export const ALWAYS_EXPANDED_BYTES: number = 8 * 1024 * 1024;

/** The largest number of frames in a compressed file, because each of them needs a new decompressor. */
export const MAX_FRAMES: number = 500;

/**
 * The length from which the depth of a text is counted before it is parsed: every level costs the parser about 50
 * bytes.
 */
export const COUNT_DEPTH_CHARS: number = 1024 * 1024;

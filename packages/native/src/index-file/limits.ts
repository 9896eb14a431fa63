/** The limits of the index. */

/** The time that a reader or a writer waits for another process. */
export const BUSY_TIMEOUT_MS = 2_000;

/** The number of times that a batch is tried while another process locks the file for longer than the timeout. */
export const WRITE_ATTEMPTS = 5;
export const WRITE_RETRY_MS = 200;

/** If a file changed less than this time before it was read, a further change may have the same time stamp. */
export const SETTLED_AFTER_MS = 2_000;

/** A longer run of letters and digits is data (base64 or a long hash, for example), not a word. */
export const MAX_WORD_CHARS = 64;

/** A name in code with more parts is only indexed as a whole. */
export const MAX_NAME_PARTS = 12;

/** The length of one text (a block of a message); the rest is counted but not searched. */
export const MAX_TEXT_CHARS = 1_000_000;

/** A longer turn is stored as several turns, so that memory is bounded. */
export const MAX_TURN_CHARS = 2_000_000;

/** Text that is compressed together, in characters. */
export const CHUNK_CHARS: number = 256 * 1024;

/** Text that one transaction writes, in characters. */
export const BATCH_CHARS: number = 4 * 1024 * 1024;

/**
 * The memory that SQLite may use for the words of a transaction. It is large enough that SQLite writes a batch as one
 * segment, and so merges segments less often.
 */
export const WORDS_MEMORY_BYTES: number = 16 * 1024 * 1024;

/**
 * The number of segments that SQLite merges into one segment of the next level. A smaller number makes searches faster,
 * but writing to the index slower.
 */
export const MERGED_SEGMENTS = 8;

/** The depth to which the arguments of a tool are searched. */
export const MAX_ARGUMENT_DEPTH = 8;

/** The number of files and tools that are stored for one turn. */
export const MAX_FACTS = 500;

/** The greatest size of a chunk after decompression; the JSON of the longest turn fits. */
export const MAX_BATCH_BYTES: number = 64 * 1024 * 1024;

/** The greatest size of a resume point after decompression: 200 bytes for each record, and a few for each message. */
export const MAX_KEPT_BYTES: number = 256 * 1024 * 1024;

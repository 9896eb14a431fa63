/**
 * Files and folders that survive a power cut and that only their owner can read.
 *
 * Promises: a new file is durable together with its directory entry, a new folder with its own.
 * Does not know: databases, blobs, backups.
 */

export { createFile, makeFolder, syncPath } from "./files.ts";

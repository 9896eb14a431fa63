/**
 * Blobs: their rows, and their bodies, which are written and removed under notes if they are objects, and swept if a
 * process ended in between.
 *
 * Promises: no row ever refers to a swept object; an object without a row has a note.
 * Does not know: S3, or which blobs are still needed.
 */

export { blobStore } from "./blob-files.ts";
export { putBody, removeBody, sweepObjects } from "./object-bodies.ts";

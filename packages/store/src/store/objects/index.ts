/**
 * Bodies of blobs that become objects: written and removed under notes, and swept where a process ended in between.
 *
 * Promises: no row ever names an object that was swept; an object without a row has a note.
 * Does not know: S3, and which blobs are still needed.
 */

export { putBody, removeBody, sweepObjects } from "./sweep.ts";

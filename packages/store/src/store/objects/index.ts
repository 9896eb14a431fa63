/**
 * Bodies of blobs as objects: they are written and removed under notes, and swept if a process ended in between.
 *
 * Promises: no row ever refers to a swept object; an object without a row has a note.
 * Does not know: S3, or which blobs are still needed.
 */

export { putBody, removeBody, sweepObjects } from "./sweep.ts";

/**
 * Operations on a whole store: backup, restore, and moving its blobs.
 *
 * Promises: a backup is one file, and consistent while others write; a restore is complete or changes nothing. This
 * folder loads `node:sqlite`, so its callers import it only when they need it.
 * Does not know: what events mean.
 */

export { type BackupResult, backup } from "./backup.ts";
export { type MoveBlobsOptions, type MovedBlobs, moveBlobs } from "./move-blobs.ts";
export { type RestoreResult, restore } from "./restore.ts";

/**
 * What operators do with a whole store: back it up, restore it.
 *
 * Promises: a backup is one file, consistent while others write; a restore is whole or does nothing. Loads
 * `node:sqlite`, and so is itself loaded late.
 */

export { type BackupResult, backup } from "./backup.ts";
export { type RestoreResult, restore } from "./restore.ts";

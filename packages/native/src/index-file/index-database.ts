/**
 * The file of the index, which is opened for short times, made private, and replaced if it is damaged.
 *
 * - one file with a rollback journal, not a write-ahead log: there is no shared memory that could outlive a file that
 *   was deleted, and SQLite refuses to write to a database that is no longer at its path
 * - a process that is killed in a transaction leaves a journal, and the next one that opens the file rolls it back
 * - nobody keeps it open between two uses, so that it may be deleted at any time
 */

import { chmodSync, closeSync, existsSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { continuoHome, makeFolderDurably, type Places } from "@continuo/files";
import { failureOf } from "./damage.ts";
import { BUSY_TIMEOUT_MS } from "./limits.ts";
import { APPLICATION_ID, createSchema, SCHEMA_VERSION } from "./schema.ts";

/** In `CONTINUO_HOME`. */
export function indexPathOf(places: Places): string {
  return join(continuoHome(places), "index.db");
}

/**
 * - `ready`: there, and of this version
 * - `missing`: not there yet, of an older version, or removed by this call because of damage: a writer makes it again
 * - `newer`: a newer Continuo made it; it is not changed
 * - `unusable`: it cannot be read or written, or it is not an index
 */
export type IndexState = "ready" | "missing" | "newer" | "unusable";

export type IndexUse<T> =
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: Exclude<IndexState, "ready">; readonly cause?: unknown };

/**
 * Calls `use` with the open database. Only `write` creates the file. A file that is damaged is removed: everything in
 * it can be computed again. A file that cannot be used is a state, not an error. Errors: those of `use`, also a
 * statement that SQLite refuses although the file is whole.
 */
export async function useIndex<T>(
  path: string,
  access: "read" | "write",
  use: (database: DatabaseSync) => T,
): Promise<IndexUse<T>> {
  if (access === "read" && !existsSync(path)) return { state: "missing" };
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | null = null;
  let inode: bigint | null = null;
  try {
    if (access === "write") makePrivateFile(path);
    inode = inodeOf(path);
    // With `rw`, SQLite never creates a file: others could read that file.
    const url = pathToFileURL(path);
    url.searchParams.set("mode", "rw");
    database = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS });
    const state = access === "read" ? stateOf(database) : prepare(database);
    return state === "ready" ? { state, value: use(database) } : { state };
  } catch (error) {
    const kind = failureOf(error, database);
    if (kind === "other") throw error;
    if (kind === "outside") return { state: "unusable", cause: error };
    return removeDamaged(path, inode);
  } finally {
    if (database?.isOpen) database.close();
  }
}

/** Removes the index; succeeds even if there is no file. Errors: those of the system. */
export function removeIndex(path: string): void {
  // A journal that outlives its database would be applied to the next one.
  for (const file of [`${path}-journal`, path]) removeFile(file);
}

/** The forced removal of Node gives no code for a read-only disk, so the reason could not be reported. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Another process may have replaced the damaged file since this one opened it: the new file stays. */
function removeDamaged(path: string, inode: bigint | null): IndexUse<never> {
  try {
    if (inodeOf(path) === inode) removeIndex(path);
    return { state: "missing" };
  } catch (cause) {
    return { state: "unusable", cause };
  }
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** Runs `change` as one transaction, which no other writer interrupts. */
export function inTransaction<T>(database: DatabaseSync, change: () => T): T {
  database.exec("begin immediate");
  try {
    const value = change();
    database.exec("commit");
    return value;
  } finally {
    if (database.isTransaction) database.exec("rollback");
  }
}

function makePrivateFile(path: string): void {
  makeFolderDurably(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  }
}

function stateOf(database: DatabaseSync): IndexState {
  const applicationId = numberOf(database, "application_id");
  const version = numberOf(database, "user_version");
  if (applicationId === 0 && version === 0) return isEmpty(database) ? "missing" : "unusable";
  if (applicationId !== APPLICATION_ID) return "unusable";
  if (version > SCHEMA_VERSION) return "newer";
  return version === SCHEMA_VERSION ? "ready" : "missing";
}

/** Creates the tables where they are missing. An older index is emptied, because its content can be computed again. */
function prepare(database: DatabaseSync): IndexState {
  // Changes of a transaction stay in memory until the commit: if they were written earlier, readers would have to wait.
  database.exec("pragma cache_spill = off; pragma synchronous = normal");
  const state = stateOf(database);
  if (state !== "missing") return state;
  return inTransaction(database, () => {
    // Another process may have been faster.
    const now = stateOf(database);
    if (now === "missing") createSchema(database);
    return now === "missing" ? "ready" : now;
  });
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("select count(*) as count from sqlite_schema").get()?.count === 0;
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`pragma ${pragma}`).get()?.[pragma]);
}

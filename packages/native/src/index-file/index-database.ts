/**
 * The file: opened for a moment, made private, and replaced where it is damaged.
 *
 * - one file with a rollback journal, not a write-ahead log: there is no shared memory that could outlive a file that
 *   was deleted, and SQLite refuses to write to a database that is no longer at its path
 * - a process that is killed in a transaction leaves a journal, and the next one that opens the file takes it back
 * - nobody keeps it open between two uses, so that it may be deleted at any time
 */

import { chmodSync, closeSync, existsSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { continuoHome, makeFolderDurably, type Places } from "@continuo/files";
import { BUSY_TIMEOUT_MS } from "./limits.ts";
import { APPLICATION_ID, createSchema, SCHEMA_VERSION } from "./schema.ts";

/** In `CONTINUO_HOME`. */
export function indexPathOf(places: Places): string {
  return join(continuoHome(places), "index.db");
}

/**
 * - `ready`: there, and of this version
 * - `missing`: not there yet, or of an older version: a writer makes it again
 * - `newer`: a newer Continuo made it; it is left alone
 * - `unusable`: it cannot be read or written, or it is not an index
 */
export type IndexState = "ready" | "missing" | "newer" | "unusable";

export type IndexUse<T> =
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: Exclude<IndexState, "ready">; readonly cause?: unknown };

/**
 * Calls `use` with the open database. Only `write` creates the file. A file that turns out to be damaged is removed:
 * everything in it can be found out again. Never fails because of the file; what `use` throws for other reasons passes.
 */
export async function useIndex<T>(
  path: string,
  access: "read" | "write",
  use: (database: DatabaseSync) => T,
): Promise<IndexUse<T>> {
  if (access === "read" && !existsSync(path)) return { state: "missing" };
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | null = null;
  try {
    if (access === "write") makePrivateFile(path);
    // `rw` never creates a file, which would be readable by others.
    const url = pathToFileURL(path);
    url.searchParams.set("mode", "rw");
    database = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS });
    // Without it, a large transaction keeps readers out from its middle on, not only while it is committed.
    if (access === "write") database.exec("pragma cache_spill = off");
    const state = access === "read" ? stateOf(database) : prepare(database);
    return state === "ready" ? { state, value: use(database) } : { state };
  } catch (error) {
    const kind = failureOf(error);
    if (kind === null) throw error;
    if (kind === "damaged") removeIndex(path);
    return kind === "damaged" ? { state: "missing" } : { state: "unusable", cause: error };
  } finally {
    if (database?.isOpen) database.close();
  }
}

/** Also where no file is. Errors: those of the system. */
export function removeIndex(path: string): void {
  for (const file of [path, `${path}-journal`]) if (existsSync(file)) unlinkSync(file);
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

/** Creates the tables where they are missing. An older index is emptied: it can be found out again. */
function prepare(database: DatabaseSync): IndexState {
  // Changes of a transaction stay in memory until the commit, so that readers wait only for that.
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

/** Perm, busy, locked, no memory, read-only, interrupted, input or output, full, cannot open, authorisation. */
const OUTSIDE_CAUSES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 13, 14, 23]);

/** Damage shows itself also as a table or a column that is not there. `null` for what has another cause. */
function failureOf(error: unknown): "damaged" | "failed" | null {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code !== "ERR_SQLITE_ERROR") return error instanceof Error && "syscall" in error ? "failed" : null;
  return OUTSIDE_CAUSES.has(Number(errcode) & 0xff) ? "failed" : "damaged";
}

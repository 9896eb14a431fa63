/**
 * Distinguishes a damaged index from a failing disk and from a mistake of Continuo; only a damaged index is removed.
 */

import type { DatabaseSync } from "node:sqlite";
import { createSchema } from "./schema.ts";

/**
 * - `damaged`: the file is not what Continuo wrote
 * - `outside`: the system refuses, or another process keeps the file locked
 * - `other`: the file is whole, or the error has nothing to do with it
 */
export type IndexFailure = "damaged" | "outside" | "other";

/** A row has content that Continuo did not write. SQLite does not check this. */
class DamagedRowError extends Error {
  constructor(options: ErrorOptions) {
    super("a row of the index is damaged", options);
    this.name = "DamagedRowError";
  }
}

/** Parses a value of a row. Errors: `DamagedRowError`, after which `useIndex` removes the index. */
export function fromRow<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new DamagedRowError({ cause });
  }
}

/**
 * The codes for: no permission, busy, locked, no memory, read-only, interrupted, input or output, full, cannot open,
 * authorisation.
 */
const OUTSIDE_CAUSES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 13, 14, 23]);

/** The codes for: corrupt, and not a database. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);

/**
 * Damage can also appear as a table that does not exist, or as a row that breaks a constraint. A wrong statement of
 * Continuo has the same codes, so the file itself is checked to find out which it is.
 *
 * @param database the open database that failed
 */
export function failureOf(error: unknown, database: DatabaseSync | null): IndexFailure {
  if (error instanceof DamagedRowError) return "damaged";
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code !== "ERR_SQLITE_ERROR") return error instanceof Error && "syscall" in error ? "outside" : "other";
  const primary = Number(errcode) & 0xff;
  if (OUTSIDE_CAUSES.has(primary)) return "outside";
  if (DAMAGE.has(primary)) return "damaged";
  return database?.isOpen === true ? stateOfContent(database) : "other";
}

function stateOfContent(database: DatabaseSync): IndexFailure {
  try {
    if (JSON.stringify(tablesOf(database)) !== JSON.stringify(tablesOfNewIndex(database))) return "damaged";
    // The check of the tables does not read the settings of the full-text index.
    database.prepare("select rowid from words where words match 'a' limit 1").get();
    return database.prepare("pragma integrity_check(1)").get()?.integrity_check === "ok"
      ? "other"
      : "damaged";
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown };
    return OUTSIDE_CAUSES.has(Number(errcode) & 0xff) ? "outside" : "damaged";
  }
}

/** The tables that SQLite itself makes differ between its versions. */
function tablesOf(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare(
      `select name, sql from sqlite_schema
       where type = 'table' and name not like 'sqlite_%' and name not like 'words_%' order by name`,
    )
    .all();
}

function tablesOfNewIndex({ constructor: Sqlite }: DatabaseSync): readonly unknown[] {
  const fresh = new (Sqlite as typeof DatabaseSync)(":memory:");
  try {
    createSchema(fresh);
    return tablesOf(fresh);
  } finally {
    fresh.close();
  }
}

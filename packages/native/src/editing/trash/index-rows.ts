/**
 * The rows about a session in the databases of an agent whose sessions are files: they are removed with the files, and
 * restored with them. The conversation itself is in the files, so an unreadable database does not prevent deleting or
 * restoring the session.
 */

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isFailure } from "@continuo/core/model";
import { removeLeft, writeDurably } from "@continuo/files";
import type { FilesPlan, TableRows } from "../../native/kit/index.ts";
import {
  columnsOf,
  deleteRows,
  insertRow,
  inTransaction,
  type KeptRow,
  readKept,
  selectRows,
} from "./row-json.ts";

/** The numbers of SQLite for a damaged database, and for a file that is not a database. */
const DAMAGE: readonly number[] = [11, 26];

/**
 * Writes the rows durably into the folder, and only then deletes them, one database after the other. Rows that were
 * moved earlier do not change.
 *
 * Errors: `busy`, `unwritable`.
 */
export async function takeIndexRows({ indexRows = [] }: FilesPlan, folder: string): Promise<void> {
  for (const [at, { database, tables }] of indexRows.entries()) {
    let isWritten = false;
    try {
      await inIndex(database, (db) => {
        const known = knownOf(db, tables);
        const kept = known.map((table) => ({ name: table.name, rows: selectRows(db, table) }));
        // An interrupted deletion has already taken the rows.
        if (kept.every(({ rows }) => rows.length === 0)) return;
        writeDurably(fileOf(folder, at), JSON.stringify(kept));
        isWritten = true;
        deleteRows(db, known);
      });
    } catch (error) {
      // The rows are still in their tables: if they were also restored from the folder, some tables would have them
      // twice.
      if (isWritten) removeLeft(fileOf(folder, at));
      throw error;
    }
  }
}

/**
 * Puts the taken rows back with other values in these columns, so that the index still contains the session.
 *
 * Errors: `busy`, `unwritable`.
 */
export async function putChangedRows(
  { indexRows = [] }: FilesPlan,
  folder: string,
  set: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [at, { database }] of indexRows.entries()) {
    const kept = readKept(fileOf(folder, at));
    if (kept === null) continue;
    await inIndex(database, (db) => {
      for (const { name, rows } of kept.toReversed()) {
        const columns = new Set(columnsOf(db, name));
        for (const row of rows) putRow(db, name, { ...row, ...set }, columns);
      }
    });
  }
}

/**
 * Writes the rows durably into the folder, and gives them other values, one database after the other and each in one
 * transaction. Rows that refer to them do not change.
 *
 * Errors: `busy`, `unwritable`.
 */
export async function changeIndexRows({ indexRows = [] }: FilesPlan, folder: string): Promise<void> {
  for (const [at, { database, tables, set = {} }] of indexRows.entries()) {
    await inIndex(database, (db) => {
      const known = knownOf(db, tables);
      const kept = known.map((table) => ({ name: table.name, rows: selectRows(db, table) }));
      writeDurably(fileOf(folder, at), JSON.stringify(kept));
      deleteRows(db, known);
      for (const { name, rows } of kept.toReversed()) {
        const columns = new Set(columnsOf(db, name));
        const changed = Object.fromEntries(Object.entries(set).filter(([column]) => columns.has(column)));
        for (const row of rows) insertRow(db, name, { ...row, ...changed });
      }
    });
  }
}

/**
 * Restores the rows. A row that the agent made in the meantime stays. If a newer version of the agent changed the
 * index, only columns that still exist are restored.
 *
 * Errors: `busy`, `unwritable`.
 * @param place `replaced`: another session with this id was moved away, and its rows are removed too.
 */
export async function putIndexRows(
  { indexRows = [] }: FilesPlan,
  folder: string,
  place: "fresh" | "replaced",
): Promise<void> {
  for (const [at, { database, tables }] of indexRows.entries()) {
    const kept = readKept(fileOf(folder, at));
    if (kept === null) continue;
    await inIndex(database, (db) => {
      if (place === "replaced") deleteRows(db, knownOf(db, tables));
      // Rows that others refer to are restored before those others.
      for (const { name, rows } of kept.toReversed()) {
        const columns = new Set(columnsOf(db, name));
        for (const row of rows) putRow(db, name, row, columns);
      }
    });
  }
}

/** True while taken rows are only in the folder. */
export function keepsIndexRows({ indexRows = [] }: FilesPlan, folder: string): boolean {
  return indexRows.some((_, at) => existsSync(fileOf(folder, at)));
}

/** Called after the rows were restored, when the folder is no longer needed for them. */
function forgetIndexRows({ indexRows = [] }: FilesPlan, folder: string): void {
  for (const at of indexRows.keys()) rmSync(fileOf(folder, at), { force: true });
}

/** Undoes `takeIndexRows` after an error. Errors: those of `putIndexRows`; then the rows stay in the folder. */
export async function giveIndexRowsBack(
  plan: FilesPlan,
  folder: string,
  place: "fresh" | "replaced",
): Promise<void> {
  await putIndexRows(plan, folder, place);
  forgetIndexRows(plan, folder);
}

function putRow(db: DatabaseSync, table: string, row: KeptRow, columns: ReadonlySet<string>): void {
  const known = Object.entries(row).filter(([column]) => columns.has(column));
  if (known.length > 0) insertRow(db, table, Object.fromEntries(known), "IGNORE");
}

function fileOf(folder: string, at: number): string {
  return join(folder, `index-rows-${at}.json`);
}

/** Foreign keys are off, so rows of other tables are not deleted, and are still there for the restoration. */
async function inIndex(database: string, work: (db: DatabaseSync) => void): Promise<void> {
  if (!existsSync(database)) return;
  try {
    await inTransaction(database, work, { enableForeignKeyConstraints: false });
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

/** The tables that exist in this version of the index. */
function knownOf(db: DatabaseSync, tables: readonly TableRows[]): readonly TableRows[] {
  return tables.filter(({ name, column }) => columnsOf(db, name).includes(column));
}

function isDamage(error: unknown): boolean {
  if (!isFailure(error)) return false;
  const { errcode } = (error.cause ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === "number" && DAMAGE.includes(errcode & 0xff);
}

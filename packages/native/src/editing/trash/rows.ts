/**
 * Moves rows out of a SQLite database and puts them back, each in one transaction. Only `changeRows` changes values.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import { quotedName, writeDurably } from "@continuo/files";
import type { RowsPlan } from "../../native/kit/index.ts";
import {
  columnsOf,
  deleteRows,
  insertRow,
  inTransaction,
  isThere,
  type KeptRow,
  type KeptTable,
  readKept,
  selectRows,
  type TransactionOptions,
} from "./row-json.ts";

export const ROWS_FILE = "rows.json";

/**
 * Writes the rows durably into the folder, and only then deletes them.
 *
 * Errors: `unsupported` if rows that the plan does not know depend on them; `busy`, `unreadable`,
 * `unwritable`. Nothing is deleted then.
 */
export async function takeRows(plan: RowsPlan, folder: string): Promise<void> {
  await inTransaction(plan.database, (db) => keepAndDelete(db, plan, folder), rulesFor(plan));
}

/** If only a row is deleted, the rows that refer to it must not be deleted with it. */
function rulesFor({ isAlone }: RowsPlan): TransactionOptions {
  return { enableForeignKeyConstraints: isAlone !== true };
}

/** Runs inside a transaction of the caller. Errors: as `takeRows`. */
export function keepAndDelete(db: DatabaseSync, plan: RowsPlan, folder: string): void {
  const tables = plan.tables.filter((table) => columnsOf(db, table.name).length > 0);
  const kept: KeptTable[] = tables.map((table) => ({ name: table.name, rows: selectRows(db, table) }));
  writeDurably(join(folder, ROWS_FILE), JSON.stringify(kept));
  const before = changesOf(db);
  deleteRows(db, tables);
  const keptRows = kept.reduce((sum, { rows }) => sum + rows.length, 0);
  // The database might delete or change other rows too, and those would not be restored.
  if (changesOf(db) - before === keptRows) return;
  throw new ContinuoError(
    "unsupported",
    `cannot delete the session: other rows of ${plan.database} depend on it; nothing was deleted`,
    {
      hint: "Update Continuo: a newer version of the agent may store more.",
    },
  );
}

/** Takes the rows and puts them back with other values in these columns, in one transaction. Errors: as `takeRows`. */
export async function changeRows(
  plan: RowsPlan,
  set: Readonly<Record<string, string | null>>,
  take: (db: DatabaseSync) => void,
): Promise<void> {
  const change = (db: DatabaseSync): void => {
    const kept = plan.tables.map((table) => ({ name: table.name, rows: selectRows(db, table) }));
    take(db);
    for (const { name, rows } of kept.toReversed()) {
      for (const row of rows) insertRow(db, name, { ...row, ...set });
    }
  };
  await inTransaction(plan.database, change, rulesFor(plan));
}

/** The number of rows inserted, changed and deleted so far, including those by foreign keys and triggers. */
function changesOf(db: DatabaseSync): number {
  return Number(db.prepare("SELECT total_changes() AS count").get()?.count);
}

/**
 * Errors: `conflict` if a row with the same key exists again, `corrupt` if the kept rows cannot be read; nothing is put
 * back then.
 * @param place `replaced`: the present rows of the plan are deleted first
 * @param aside a folder in which the present rows of the plan are kept before they are deleted
 */
export async function putRows(
  plan: RowsPlan,
  folder: string,
  place: "fresh" | "replaced",
  aside: string | null = null,
): Promise<void> {
  const path = join(folder, ROWS_FILE);
  if (!existsSync(path)) return;
  const kept = readKept(path);
  if (kept === null) throw unreadableRows(path);
  const putAll = (db: DatabaseSync): void => {
    if (aside !== null) keepAndDelete(db, plan, aside);
    else if (place === "replaced") deleteRows(db, plan.tables);
    // Rows that others refer to are restored before those others.
    for (const { name, rows } of kept.toReversed()) {
      for (const row of rows) putRow(db, name, row);
    }
  };
  await inTransaction(plan.database, putAll, rulesFor(plan));
}

/**
 * Returns true if every kept row is in the database, unchanged, or if none was kept: the transaction that takes them
 * was not committed.
 */
export async function areRowsThere(plan: RowsPlan, folder: string): Promise<boolean> {
  const kept = readKept(join(folder, ROWS_FILE));
  if (kept === null || !existsSync(plan.database)) return kept === null;
  let isAllThere = true;
  await inTransaction(plan.database, (db) => {
    isAllThere = kept.every(({ name, rows }) => rows.every((row) => isThere(db, name, row)));
  });
  return isAllThere;
}

function unreadableRows(path: string): ContinuoError {
  return new ContinuoError("corrupt", `${path} is damaged: the rows in it cannot be restored`, {
    hint: "Restore that file from a backup of its folder, then try again.",
    details: { path },
  });
}

/** Makes a database at a new path with the kept rows, in tables without constraints. */
export async function keptDatabase(folder: string, path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(path);
  try {
    db.exec("BEGIN");
    for (const { name, rows } of readKept(join(folder, ROWS_FILE)) ?? []) {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      if (columns.length === 0) continue;
      db.exec(`CREATE TABLE ${quotedName(name)} (${columns.map(quotedName).join(", ")})`);
      for (const row of rows) insertRow(db, name, row);
    }
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

function putRow(db: DatabaseSync, table: string, row: KeptRow): void {
  if (isThere(db, table, row)) return;
  try {
    insertRow(db, table, row);
  } catch (cause) {
    throw new ContinuoError("conflict", `cannot restore a row of ${table}: ${(cause as Error).message}`, {
      hint: "Try again; the rows are still in the trash.",
      cause,
    });
  }
}

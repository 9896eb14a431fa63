/** Takes rows out of a SQLite database and puts them back, each in one transaction. No value changes. */

import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import { isWriteFailure, quotedName, writeDurably, writeFailure } from "@continuo/files";
import type { RowsPlan, TableRows } from "../../native/kit/index.ts";

/** The values of a row by column. A value that JSON would change has a form of its own. */
type KeptRow = Readonly<Record<string, KeptValue>>;
type KeptValue =
  | string
  | number
  | null
  | { readonly int: string }
  | { readonly real: string }
  | { readonly bytes: string }
  /** Text that is no UTF-8, or holds a NUL: its bytes in base64. */
  | { readonly text: string };

interface KeptTable {
  readonly name: string;
  readonly rows: readonly KeptRow[];
}

export const ROWS_FILE = "rows.json";
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Writes the rows into the folder, durably, and only then deletes them.
 *
 * Errors: `unsupported` if rows that the plan does not know depend on them; `busy`, `unreadable`,
 * `unwritable`. Nothing is deleted then.
 */
export async function takeRows(plan: RowsPlan, folder: string): Promise<void> {
  await inTransaction(plan.database, (db) => keepAndDelete(db, plan, folder));
}

/** Runs inside a transaction of the caller. Errors: as `takeRows`. */
export function keepAndDelete(db: DatabaseSync, plan: RowsPlan, folder: string): void {
  const tables = plan.tables.filter((table) => columnsOf(db, table.name).length > 0);
  const kept: KeptTable[] = tables.map((table) => ({ name: table.name, rows: selectRows(db, table) }));
  writeDurably(join(folder, ROWS_FILE), JSON.stringify(kept));
  const before = changesOf(db);
  for (const { name, column, values } of tables) {
    const statement = db.prepare(`DELETE FROM ${quotedName(name)} WHERE ${quotedName(column)} = ?`);
    for (const value of values) statement.run(value);
  }
  const keptRows = kept.reduce((sum, { rows }) => sum + rows.length, 0);
  // The database may delete or change other rows with them; those rows would not come back.
  if (changesOf(db) - before === keptRows) return;
  throw new ContinuoError(
    "unsupported",
    `cannot delete the session: other rows of ${plan.database} depend on it; nothing was deleted`,
    {
      hint: "Update Continuo: a newer version of the agent may store more.",
    },
  );
}

/** Rows inserted, changed and deleted so far, those by foreign keys and triggers too. */
function changesOf(db: DatabaseSync): number {
  return Number(db.prepare("SELECT total_changes() AS count").get()?.count);
}

/**
 * Errors: `conflict` where a row with the same key is there again, `corrupt` where the kept rows cannot be read;
 * nothing is put back then.
 * @param place `replaced`: rows with the same keys gave way to these.
 * @param aside a folder where these rows are kept
 */
export async function putRows(
  plan: RowsPlan,
  folder: string,
  place: "fresh" | "replaced",
  aside: string | null = null,
): Promise<void> {
  const path = join(folder, ROWS_FILE);
  if (!existsSync(path)) return;
  const kept = readKept(folder);
  if (kept === null) throw unreadableRows(path);
  await inTransaction(plan.database, (db) => {
    if (aside !== null) keepAndDelete(db, plan, aside);
    else if (place === "replaced") deleteRows(db, plan);
    // Rows that others refer to come back before those.
    for (const { name, rows } of kept.toReversed()) {
      for (const row of rows) insertRow(db, name, row);
    }
  });
}

/**
 * Returns true if every kept row is in the database, unchanged: the transaction that takes them did not end.
 */
export async function areRowsThere(plan: RowsPlan, folder: string): Promise<boolean> {
  const kept = readKept(folder);
  if (kept === null || !existsSync(plan.database)) return kept === null;
  let isAllThere = true;
  await inTransaction(plan.database, (db) => {
    isAllThere = kept.every(({ name, rows }) => rows.every((row) => isThere(db, name, row)));
  });
  return isAllThere;
}

/** `null` if no rows were kept, or only some of them. */
function readKept(folder: string): KeptTable[] | null {
  try {
    return JSON.parse(readFileSync(join(folder, ROWS_FILE), "utf8"));
  } catch {
    return null;
  }
}

function unreadableRows(path: string): ContinuoError {
  return new ContinuoError("corrupt", `${path} is damaged: the rows in it cannot be restored`, {
    hint: "Restore that file from a backup of its folder, then try again.",
    details: { path },
  });
}

/** Makes a database at a new path that holds the rows that were kept, in tables without rules. */
export async function keptDatabase(folder: string, path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(path);
  try {
    db.exec("BEGIN");
    for (const { name, rows } of readKept(folder) ?? []) {
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

function deleteRows(db: DatabaseSync, plan: RowsPlan): void {
  for (const { name, column, values } of plan.tables) {
    const statement = db.prepare(`DELETE FROM ${quotedName(name)} WHERE ${quotedName(column)} = ?`);
    for (const value of values) statement.run(value);
  }
}

function insertRow(db: DatabaseSync, table: string, row: KeptRow): void {
  const columns = Object.keys(row);
  if (isThere(db, table, row)) return;
  const places = columns.map((column) => placeOf(row[column] ?? null)).join(", ");
  try {
    db.prepare(
      `INSERT INTO ${quotedName(table)} (${columns.map(quotedName).join(", ")}) VALUES (${places})`,
    ).run(...columns.map((column) => toSql(row[column] ?? null)));
  } catch (cause) {
    throw new ContinuoError("conflict", `cannot restore a row of ${table}: ${(cause as Error).message}`, {
      hint: "Try again; the rows are still in the trash.",
      cause,
    });
  }
}

/** True for a row that is still in its place, because its deletion was interrupted. */
function isThere(db: DatabaseSync, table: string, row: KeptRow): boolean {
  const columns = Object.keys(row);
  const same = columns
    .map((column) => `${quotedName(column)} IS ${placeOf(row[column] ?? null)}`)
    .join(" AND ");
  const values = columns.map((column) => toSql(row[column] ?? null));
  return db.prepare(`SELECT 1 FROM ${quotedName(table)} WHERE ${same}`).get(...values) !== undefined;
}

/** Text is read as bytes: a NUL would end it, and what is no UTF-8 would be replaced. */
function selectRows(db: DatabaseSync, { name, column, values }: TableRows): KeptRow[] {
  const columns = columnsOf(db, name);
  const selected = columns.flatMap((one, at) => [
    `CASE typeof(${quotedName(one)}) WHEN 'text' THEN CAST(${quotedName(one)} AS BLOB) ELSE ${quotedName(one)} END AS v${at}`,
    `typeof(${quotedName(one)}) AS t${at}`,
  ]);
  const statement = db.prepare(
    `SELECT ${selected.join(", ")} FROM ${quotedName(name)} WHERE ${quotedName(column)} = ?`,
  );
  statement.setReadBigInts(true);
  return values.flatMap((value) =>
    statement
      .all(value)
      .map((row) =>
        Object.fromEntries(
          columns.map((one, at) => [one, fromSql(row[`v${at}`] ?? null, String(row[`t${at}`]))]),
        ),
      ),
  );
}

/** The columns that can be written, without generated ones; none if there is no such table. */
function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name));
}

async function inTransaction(path: string, work: (db: DatabaseSync) => void): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  if (!existsSync(path)) throw new ContinuoError("not_found", `there is no database ${path}`);
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec("BEGIN IMMEDIATE");
    work(db);
    db.exec("COMMIT");
  } catch (cause) {
    throw toDatabaseError(cause, path);
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
    db.close();
  }
}

function toDatabaseError(cause: unknown, path: string): unknown {
  return isWriteFailure(cause) ? writeFailure(`cannot write ${path}`, cause) : cause;
}

function fromSql(value: SQLOutputValue, type: string): KeptValue {
  if (typeof value === "bigint") return { int: value.toString() };
  if (typeof value === "number") return Number.isFinite(value) ? value : { real: String(value) };
  if (!(value instanceof Uint8Array)) return value;
  const isPlain = type === "text" && isUtf8(value) && !value.includes(0);
  if (isPlain) return Buffer.from(value).toString("utf8");
  const base64 = Buffer.from(value).toString("base64");
  return type === "text" ? { text: base64 } : { bytes: base64 };
}

function toSql(value: KeptValue): SQLInputValue {
  if (value === null || typeof value !== "object") return value;
  if ("int" in value) return BigInt(value.int);
  if ("real" in value) return Number(value.real);
  return Buffer.from("bytes" in value ? value.bytes : value.text, "base64");
}

function placeOf(value: KeptValue): string {
  return value !== null && typeof value === "object" && "text" in value ? "CAST(? AS TEXT)" : "?";
}

/** Converts rows of a SQLite database to JSON without loss, and back. */

import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import { isWriteFailure, quotedName, writeFailure } from "@continuo/files";
import type { TableRows } from "../../native/kit/index.ts";

/** The values of a row by column. A value that JSON would change has a special form. */
export type KeptRow = Readonly<Record<string, KeptValue>>;
type KeptValue =
  | string
  | number
  | null
  | { readonly int: string }
  | { readonly real: string }
  | { readonly bytes: string }
  /** Text that is not UTF-8, or contains a NUL, as base64 of its bytes. */
  | { readonly text: string };

export interface KeptTable {
  readonly name: string;
  readonly rows: readonly KeptRow[];
}

const BUSY_TIMEOUT_MS = 5_000;

/** `null` if the file does not exist or is incomplete. */
export function readKept(path: string): readonly KeptTable[] | null {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** Text is read as bytes: a NUL would end it, and bytes that are not UTF-8 would be replaced. */
export function selectRows(db: DatabaseSync, { name, column, values }: TableRows): KeptRow[] {
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
export function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name));
}

export function deleteRows(db: DatabaseSync, tables: readonly TableRows[]): void {
  for (const { name, column, values } of tables) {
    const statement = db.prepare(`DELETE FROM ${quotedName(name)} WHERE ${quotedName(column)} = ?`);
    for (const value of values) statement.run(value);
  }
}

/** @param otherwise the action if a rule of the table refuses the row: `IGNORE` leaves it out */
export function insertRow(
  db: DatabaseSync,
  table: string,
  row: KeptRow,
  otherwise: "ABORT" | "IGNORE" = "ABORT",
): void {
  const columns = Object.keys(row);
  const places = columns.map((column) => placeOf(row[column] ?? null)).join(", ");
  db.prepare(
    `INSERT OR ${otherwise} INTO ${quotedName(table)} (${columns.map(quotedName).join(", ")}) VALUES (${places})`,
  ).run(...columns.map((column) => toSql(row[column] ?? null)));
}

/** True for a row that is still in its place, because its deletion was interrupted. */
export function isThere(db: DatabaseSync, table: string, row: KeptRow): boolean {
  const columns = Object.keys(row);
  const same = columns
    .map((column) => `${quotedName(column)} IS ${placeOf(row[column] ?? null)}`)
    .join(" AND ");
  const values = columns.map((column) => toSql(row[column] ?? null));
  return db.prepare(`SELECT 1 FROM ${quotedName(table)} WHERE ${same}`).get(...values) !== undefined;
}

export interface TransactionOptions {
  readonly enableForeignKeyConstraints?: boolean;
}

export async function inTransaction(
  path: string,
  work: (db: DatabaseSync) => void,
  options: TransactionOptions = {},
): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  if (!existsSync(path)) throw new ContinuoError("not_found", `there is no database ${path}`);
  const db = new DatabaseSync(path, { ...options, timeout: BUSY_TIMEOUT_MS });
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

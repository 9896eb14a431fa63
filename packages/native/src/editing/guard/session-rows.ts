/**
 * Converts the rows of a session to SQL text and back. The first line names the tables; their definitions and one
 * statement for each row follow. The order of the rows is chosen so that the text keeps its beginning when the session
 * grows.
 */

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import { isJson, parseJson, quotedName, readOnlyDatabase } from "@continuo/files";
import type { RowsPlan, TableRows } from "../../native/kit/index.ts";
import { columnsOf, type KeptRow, type KeptTable, selectRows, type TrashRows } from "../trash/index.ts";

const HEAD = "-- rows of a session: ";

/**
 * The agent may write to the database at the same time: all rows still come from one moment. Errors: those of the
 * system and of SQLite.
 */
export async function rowsToSql(plan: RowsPlan): Promise<string> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(readOnlyDatabase(plan.database), { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec("PRAGMA trusted_schema = off; BEGIN");
    const tables = plan.tables.filter(({ name }) => columnsOf(db, name).length > 0);
    const owners = ownersOf(db, tables);
    const all = [...tables, ...owners];
    const rows = all
      .toReversed()
      .flatMap((table) => selectRows(db, table).map((row): TableRow => ({ name: table.name, row })));
    const late = new Set([...LATE_TABLES, ...owners.map(({ name }) => name)]);
    const timeOf = ({ name, row }: TableRow): number => (late.has(name) ? LAST : createdOf(row));
    const statements = rows.toSorted((a, b) => timeOf(a) - timeOf(b)).map(toInsert);
    const head = `${HEAD}${JSON.stringify({ tables, owners })}`;
    return `${[head, ...definitionsOf(db, all), "BEGIN;", ...statements, "COMMIT;"].join("\n")}\n`;
  } finally {
    db.close();
  }
}

/** Makes a database at a new path. Errors: those of SQLite. */
export async function sqlToDatabase(sql: string, path: string): Promise<void> {
  const db = await openSql(sql, path);
  db.close();
}

/**
 * @param database the database that will receive the rows. Rows of other tables that they refer to are included only if
 * they are missing there
 */
export async function sqlToRows(sql: string, database: string): Promise<TrashRows> {
  const { tables, owners } = headOf(sql);
  const db = await openSql(sql, ":memory:");
  try {
    const missing = await withoutThose(owners, database);
    const kept = [...tables, ...missing].map(
      (table): KeptTable => ({ name: table.name, rows: selectRows(db, table) }),
    );
    return { plan: { type: "rows", database, tables, forks: [] }, tables: kept };
  } finally {
    db.close();
  }
}

/** True if every message of the older text is in the newer one: the session only grew. */
export function keepsMessages(older: string, newer: string): boolean {
  const there = new Set(newer.match(MESSAGES));
  return (older.match(MESSAGES) ?? []).every((start) => there.has(start));
}

const BUSY_TIMEOUT_MS = 5_000;
/** A session's own row changes with every turn, so it comes after the messages. */
const LATE_TABLES = ["session", "session_v2"];
const LAST = Number.MAX_SAFE_INTEGER;
const MESSAGES = /^INSERT INTO "(?:session_)?message" \("id"[^)]*\) VALUES \('[^']*'/gmu;

/** Rows of other tables that these refer to, such as their project. */
function ownersOf(db: DatabaseSync, tables: readonly TableRows[]): readonly TableRows[] {
  const known = new Set(tables.map(({ name }) => name));
  return tables.flatMap((table) =>
    db
      .prepare('SELECT "table" AS name, "from" AS source, "to" AS target FROM pragma_foreign_key_list(?)')
      .all(table.name)
      .filter(({ name, target }) => !known.has(String(name)) && target !== null)
      .map(({ name, source, target }) => {
        const values = selectRows(db, table).map((row) => row[String(source)]);
        const texts = [...new Set(values.filter((value) => typeof value === "string"))];
        return { name: String(name), column: String(target), values: texts };
      }),
  );
}

async function withoutThose(owners: readonly TableRows[], database: string): Promise<readonly TableRows[]> {
  if (owners.length === 0 || !existsSync(database)) return owners;
  const { DatabaseSync } = await import("node:sqlite");
  using db = new DatabaseSync(readOnlyDatabase(database), { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  return owners.map(({ name, column, values }) => {
    const isMissing = (value: string): boolean =>
      selectRows(db, { name, column, values: [value] }).length === 0;
    return { name, column, values: columnsOf(db, name).length === 0 ? [] : values.filter(isMissing) };
  });
}

function definitionsOf(db: DatabaseSync, tables: readonly TableRows[]): readonly string[] {
  const statement = db.prepare(
    "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC, name",
  );
  const names = new Set(tables.map(({ name }) => name));
  return [...names].flatMap((name) => statement.all(name).map(({ sql }) => `${sql};`));
}

interface TableRow {
  readonly name: string;
  readonly row: KeptRow;
}

function createdOf({ time_created: created }: KeptRow): number {
  return isJson(created) && "int" in created ? Number(created.int) : LAST;
}

function toInsert({ name, row }: TableRow): string {
  const columns = Object.keys(row).map(quotedName).join(", ");
  const values = Object.values(row).map(toLiteral).join(", ");
  return `INSERT INTO ${quotedName(name)} (${columns}) VALUES (${values});`;
}

function toLiteral(value: KeptRow[string]): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "number") return /[.e]/u.test(String(value)) ? String(value) : `${value}.0`;
  if ("int" in value) return value.int;
  if ("real" in value) return value.real.startsWith("-") ? "-9e999" : "9e999";
  if ("bytes" in value) return `X'${hexOf(value.bytes)}'`;
  return `CAST(X'${hexOf(value.text)}' AS TEXT)`;
}

function hexOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}

async function openSql(sql: string, path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  // The text is in order of time, not in the order of references.
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    db.exec(sql);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

interface Head {
  readonly tables: readonly TableRows[];
  readonly owners: readonly TableRows[];
}

function headOf(sql: string): Head {
  const [first = ""] = sql.split("\n", 1);
  const head = first.startsWith(HEAD) ? parseJson(first.slice(HEAD.length)) : null;
  if (isJson(head) && Array.isArray(head.tables) && Array.isArray(head.owners)) {
    return { tables: head.tables, owners: head.owners };
  }
  throw new ContinuoError("corrupt", "the rows in the copy of the session do not name their tables", {
    hint: "Restore the folder of the guard from a backup.",
  });
}

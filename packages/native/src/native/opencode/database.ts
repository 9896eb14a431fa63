/**
 * An SQLite database that belongs to another program. Neither the database nor its `-wal` is ever written.
 *
 * - if there is a `-wal`, the database is opened read-only, and the content of the `-wal` is read too. SQLite registers
 *   readers in the `-shm`, and makes that file if it is missing: this is the only trace of a reader
 * - without a `-wal`, the database is opened `immutable`: no lock, no file next to it
 * - a read-only connection leaves the checkpoint at its end to others (shown by `database.test.ts`)
 *
 * While an `immutable` database is open, its owner may start and write: `refresh` notices this and opens it again.
 */

import { isUtf8 } from "node:buffer";
import { closeSync, openSync, realpathSync, statSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import { hasLog, type Json, readOnlyDatabase } from "@continuo/files";
import { toReadError } from "@continuo/files/records";
import { LOCK_TIMEOUT_MS } from "./limits.ts";
import { salvage } from "./salvage.ts";

export type SqlValue = string | number | null;

export interface Query<T> {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Converts the values, in the order of the columns. */
  readonly map: (row: readonly unknown[]) => T;
}

export interface Database {
  /** Symbolic links resolved. */
  readonly path: string;
  /** The database is cut off, and its readable part is returned. */
  readonly isSalvaged: boolean;
  /** Names of a table's columns; none where there is no such table. */
  columnsOf(table: string): readonly string[];
  /**
   * Yields one row at a time. Each call has its own statement, so that two can run at the same time. Errors:
   * `unreadable`.
   */
  each<T>(query: Query<T>): Generator<T, void, void>;
  /** The first column of each row, which the statement gives as a blob. Errors: `unreadable`. */
  bytes(sql: string, ...values: readonly SqlValue[]): Generator<Uint8Array | null, void, void>;
  /** The rows of a statement that is kept for the next time. Errors: `unreadable`. */
  all<T>(query: Query<T>): T[];
  /** Rows as objects. Errors: `unreadable`. */
  few(sql: string, ...values: readonly SqlValue[]): Json[];
  /** Until the function that it returns is called, reads see one state of the database. Errors: `unreadable`. */
  begin(): () => void;
  /** True if the owner has written since; the next read sees the change. */
  refresh(): boolean;
  close(): void;
}

/** Errors: `not_found`, `unreadable` (no database, damaged, locked, no permission). */
export async function openDatabase(path: string): Promise<Database> {
  // Loaded here, so that code without a database does not load SQLite.
  const { DatabaseSync } = await import("node:sqlite");
  const file = resolvePath(path);
  let connection = connect(DatabaseSync, file);
  let statements = new Map<string, Statement>();
  const statementFor = (sql: string): Statement => {
    const known =
      statements.get(sql) ?? read(file, () => toStatement(file, prepare(connection.database, sql)));
    statements.set(sql, known);
    return known;
  };
  const close = (): void => {
    if (connection.database.isOpen) connection.database.close();
  };
  const rowsOf = function* (sql: string, values: readonly SqlValue[]): Generator<unknown, void, void> {
    const iterator = read(file, () => prepare(connection.database, sql).iterate(...values));
    try {
      while (true) {
        const next = read(file, () => iterator.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      // An unfinished statement would prevent the owner from writing its `-wal` from the beginning again.
      if (connection.database.isOpen) iterator.return?.();
    }
  };
  return {
    path: file,
    isSalvaged: connection.isSalvaged,
    columnsOf: (table) =>
      statementFor("select name from pragma_table_info(?)").rows([table], ([name]) => String(name)),
    *each({ sql, values, map }) {
      for (const row of rowsOf(sql, values)) yield map(toValues(row));
    },
    *bytes(sql, ...values) {
      for (const row of rowsOf(sql, values)) {
        const [value] = row as unknown as readonly SQLOutputValue[];
        yield value instanceof Uint8Array ? value : null;
      }
    },
    all: ({ sql, values, map }) => statementFor(sql).rows(values, map),
    few(sql, ...values) {
      const { names, rows } = statementFor(sql);
      return rows(values, (row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
    },
    begin() {
      if (connection.database.isTransaction) return () => undefined;
      read(file, () => connection.database.exec("begin"));
      return () => {
        if (connection.database.isOpen && connection.database.isTransaction)
          connection.database.exec("rollback");
      };
    },
    refresh() {
      if (connection.seen === null || connection.seen === markOf(file)) return false;
      close();
      statements = new Map();
      connection = connect(DatabaseSync, file);
      return true;
    },
    close,
  };
}

interface Connection {
  readonly database: DatabaseSync;
  /** The state of an `immutable` file when it was opened. */
  readonly seen: string | null;
  readonly isSalvaged: boolean;
}

function connect(Sqlite: typeof DatabaseSync, path: string): Connection {
  const url = readOnlyDatabase(path);
  const isShared = !url.searchParams.has("immutable");
  const seen = isShared ? null : markOf(path);
  return read(path, () => {
    const database = new Sqlite(url, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
    try {
      // SQLite must not run the schema of a foreign database, and must not trust its pages.
      database.exec("pragma trusted_schema = off; pragma cell_size_check = on; select 1 from sqlite_schema");
      return { database, seen, isSalvaged: false };
    } catch (error) {
      database.close();
      const rest =
        isSqliteError(error) && kindOf(error) === SQLITE_CORRUPT ? salvage(Sqlite, path, url) : null;
      if (rest === null) throw error;
      return { database: rest, seen: markOf(path), isSalvaged: true };
    }
  });
}

function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "gone";
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}:${hasLog(path)}`;
}

function resolvePath(path: string): string {
  try {
    const real = realpathSync(path);
    if (!statSync(real).isFile()) throw new ContinuoError("unreadable", `${path} is not a regular file`);
    closeSync(openSync(real, "r"));
    return real;
  } catch (error) {
    throw error instanceof ContinuoError ? error : toReadError(path, error);
  }
}

interface Statement {
  readonly names: readonly string[];
  rows<T>(values: readonly SqlValue[], map: (row: readonly unknown[]) => T): T[];
}

function toStatement(path: string, statement: StatementSync): Statement {
  return {
    names: statement.columns().map(({ name }) => name),
    rows: (values, map) => read(path, () => statement.all(...values)).map((row) => map(toValues(row))),
  };
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  // A number that JavaScript cannot hold would throw otherwise.
  statement.setReadBigInts(true);
  return statement;
}

/** `setReturnArrays` is not in the types of rows. */
function toValues(row: unknown): unknown[] {
  return (row as SQLOutputValue[]).map(fromSql);
}

function fromSql(value: SQLOutputValue): unknown {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (!(value instanceof Uint8Array)) return value;
  return isUtf8(value)
    ? Buffer.from(value).toString("utf8")
    : { bytes: Buffer.from(value).toString("base64") };
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

function read<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!isSqliteError(cause)) throw cause;
    throw new ContinuoError("unreadable", `cannot read ${path}: ${sentenceOf(cause)}`, {
      cause,
      ...(kindOf(cause) === SQLITE_CORRUPT ? { hint: RESTORE_HINT } : {}),
      details: { sqlite: cause.errcode },
    });
  }
}

/** Returns true if SQLite refuses the bytes themselves: no permission and no lock is in the way. */
export function isDamagedDatabase({ details }: ContinuoError): boolean {
  const code = typeof details?.sqlite === "number" ? details.sqlite & 0xff : null;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

interface SqliteError extends Error {
  readonly errcode: number;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number";
}

/** The lower byte is the kind of error, and the rest contains details. */
function kindOf({ errcode }: SqliteError): number {
  return errcode & 0xff;
}

const RESTORE_HINT =
  "Restore the database from a backup. Without one, move it away: opencode makes a new one when it starts.";

function sentenceOf(error: SqliteError): string {
  switch (kindOf(error)) {
    case SQLITE_BUSY:
      return "another program has locked it";
    case SQLITE_NOTADB:
      return "it is no SQLite database";
    case SQLITE_CANTOPEN:
      return "SQLite cannot open it, or the -shm file beside it";
    case SQLITE_CORRUPT:
      return "the database is damaged";
    default:
      return error.message;
  }
}

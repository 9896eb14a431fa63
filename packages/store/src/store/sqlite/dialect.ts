/**
 * The part of the rules that is specific to SQLite, and the dialect of Kysely: transactional DDL over `node:sqlite`.
 */

import type { DatabaseSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type DialectAdapter,
  type Driver,
  Kysely,
  type Dialect as KyselyDialect,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { type Dialect, type EventRow, type Statement, UPSERT } from "../engine/index.ts";
import type { LeaseClock } from "./lease-clock.ts";

const INSERT_EVENTS = `insert into events (log_key, sequence, event_id, type, parent_id, actor, run_id, occurred_at,
  recorded_at, retention, payload, bytes, payload_hash, chain_hash, extras, media_time_ms)
  values `;
const ONE_EVENT = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** With this many rows in one statement, a row takes a fifth less time than in a statement of its own; more rows are not faster. */
const ROWS_AT_ONCE = 10;

/** The statement for each number of rows; each is prepared once. */
const INSERTS: readonly string[] = Array.from(
  { length: ROWS_AT_ONCE + 1 },
  (_, rows) => INSERT_EVENTS + Array.from({ length: rows }, () => ONE_EVENT).join(", "),
);

function* insertsOf(rows: readonly EventRow[]): Iterable<Statement> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    const [first = []] = some;
    const parameters = some.length === 1 ? first : some.flat();
    yield { sql: INSERTS[some.length] ?? "", parameters, shape: "none" };
  }
}

const NOW = "cast(unixepoch('subsec') * 1000 as integer)";

const LEASE_NOW = "cast(continuo_lease_now() as integer)";

/**
 * There is one writer at a time, so no lock is needed in addition to the transaction. The clock of leases is a function
 * that must be registered with the connection.
 */
export const SQLITE: Dialect = {
  engine: "sqlite",
  ...UPSERT,
  // A running statement blocks the event loop.
  stretch: { rows: 128, bytes: 524_288, scanned: 1_024 },
  positionIn: "instr",
  ...clockOf(NOW),
  leaseMs: LEASE_NOW,
  wallTime: (leaseMs) => leaseMs,
  forUpdate: "",
  forShare: "",
  currentMark: "(select value from counters where name = 'mark')",
  // Events of all logs share one table, whose row ids grow with each append.
  expression: (text) => sql.raw(text),
  activityOrder:
    "(select max(e.rowid) from events e where e.log_key = logs.log_key and e.sequence = logs.head_sequence)",
  endMark: "update counters set value = value + 1 where name = 'mark'",
  placeholders: (text) => text,
  bounded: (select) => select,
  // The bytes are treated as text in the encoding of the database, which does not change them. SQLite keeps the order
  // of the subquery for this function; an `order by` inside the function would sort everything again.
  joined: (column, separator) => `cast(group_concat(${column}, '${separator}') as blob)`,
  insertEvents: (rows) => [...insertsOf(rows)],
  // One parameter holds any number of values, so that the statement always has the same text.
  oneOf: (column) => `${column} in (select value from json_each(?))`,
  listOf: (values) => JSON.stringify(values),
};

export interface DialectClocks {
  readonly leases: LeaseClock;
  /** The caller's clock in place of SQLite's own. */
  readonly now: (() => number) | undefined;
}

/** The dialect for a connection, whose clocks become functions of the connection. */
export function dialectFor(database: DatabaseSync, { leases, now }: DialectClocks): Dialect {
  database.function("continuo_lease_now", () => leases.now());
  const dialect = { ...SQLITE, wallTime: leases.wallTime };
  if (now === undefined) return dialect;
  database.function("continuo_now", () => Math.trunc(now()));
  return { ...dialect, ...clockOf("cast(continuo_now() as integer)") };
}

function clockOf(nowMs: string): Pick<Dialect, "nowMs" | "visibleMark"> {
  return { nowMs, visibleMark: `select value as mark, ${nowMs} as now from counters where name = 'mark'` };
}

export function createKysely<Schema>(database: DatabaseSync): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new NodeSqliteDialect(database) });
}

class NodeSqliteDialect implements KyselyDialect {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  createAdapter(): DialectAdapter {
    return new TransactionalAdapter();
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#database);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<never>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** DDL is transactional in SQLite, and `begin immediate` acts as the lock against other migrations. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(database: DatabaseSync) {
    this.#connection = new NodeSqliteConnection(database);
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#database.prepare(sql);
    const rows = statement.all(...(parameters as (string | number | null)[]));
    return Promise.resolve({ rows: rows as R[] });
  }

  // biome-ignore lint/correctness/useYield: nothing streams through Kysely
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Rows are not streamed through Kysely.");
  }
}

/**
 * The rules of the log are written once, as generators that yield statements and receive rows. An engine runs them:
 * SQLite at once, without a pause, so that nothing comes between the statements of one transaction; Postgres over the
 * wire. A rule may run again from the start after its transaction was rolled back, so it must do nothing but yield.
 */

import type { Principal, Retention, Sha256 } from "@continuo/core/model";
import type { Compilable, Kysely, RawBuilder } from "kysely";
import type { Schema } from "../schema/index.ts";
import { LIMITS } from "./limits.ts";

export type SqlValue = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[];

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Rows as arrays, in the order of the columns, which is twice as fast; or no rows, if they are not needed. */
  readonly shape?: "arrays" | "none";
  /** Returns true for the last row that is needed, for rows as arrays. An engine may read further rows nevertheless. */
  readonly last?: (row: never) => boolean;
  /** Returns the work of the statement, if it is not the number of its rows (see `LIMITS.turnWork`). */
  readonly workOf?: (rows: readonly unknown[]) => number;
  /** A name under which the statement stays prepared, because its text is one of few. */
  readonly name?: string;
}

export type Row = Readonly<Record<string, SqlValue>>;

export type Work<T> = Generator<Statement, T, readonly unknown[]>;

/** The limits of one statement of a long read, so that nobody waits for it. */
export interface SequenceRange {
  readonly rows: number;
  /** UTF-8 bytes of payloads. */
  readonly bytes: number;
  /** The number of rows that a filter examines. */
  readonly scanned: number;
}

/** The work of a statement that examines many rows and returns few of them. */
export function scanWorkOf({ stretch }: Dialect, scanned: number): (rows: readonly unknown[]) => number {
  const work = Math.min(scanned, stretch.scanned) / LIMITS.scannedPerWork;
  return (rows) => rows.length + work;
}

/** The differences between the two dialects. */
export interface Dialect {
  readonly engine: "sqlite" | "postgres";
  readonly stretch: SequenceRange;
  /** The database's clock, in milliseconds since 1970. */
  readonly nowMs: string;
  /**
   * The clock of leases, in milliseconds. If all servers run on one machine, changes of the time of day do not affect
   * it.
   */
  readonly leaseMs: string;
  /** Converts a time of the clock of leases to the time of day. */
  readonly wallTime: (leaseMs: number) => number;
  /** The text after a SELECT whose row is about to be changed. */
  readonly forUpdate: string;
  readonly forShare: string;
  /** The mark of the running transaction, for `changed_mark`. */
  readonly currentMark: string;
  /** An expression over a row of `logs` that grows with each change and orders two changes in the same millisecond. */
  readonly activityOrder: string;
  /** SQL of the dialect as a part of a query: the rules do not load Kysely. */
  expression(sql: string): RawBuilder<number>;
  /**
   * A statement that returns `now` and `mark`: every change with a smaller mark is visible now, and no further one will
   * be made.
   */
  readonly visibleMark: string;
  /**
   * A statement that ends the current mark of changes, so that the changes under it become visible. Only dialects that
   * count marks themselves have it. It must run before `visibleMark` when the workspace has such changes.
   */
  readonly endMark?: string;
  /**
   * The text after the values of an INSERT. An existing row with these columns stays as it is, or gets the assignments,
   * in which `proposed(column)` is the value of the rejected row.
   */
  onConflict(columns: string, assignments?: string): string;
  proposed(column: string): string;
  /** The text at the end of a change that returns its rows. */
  returning(columns: string): string;
  /** The function that returns the position of its second argument in the first one, or 0. */
  readonly positionIn: "instr" | "strpos";
  /** Converts placeholders, which are `?` in the rules. */
  placeholders(sql: string): string;
  /**
   * A query of events that ends early: after the row with which its bodies exceed the budget. An engine that can stop
   * in the middle of a query does so by `Statement.last`, and leaves the text as it is.
   */
  bounded(select: string, bounds: Bounds): string;
  /** Joins the values of a column of bytes, from a subquery that has `sequence` and is ordered by it. */
  joined(column: string, separator: "" | ","): string;
  /** A condition that is true for a row whose column has one of the texts in `listOf`. */
  oneOf(column: string): string;
  listOf(values: readonly string[]): SqlValue;
  /** The rows of an append, in as few statements as the dialect allows. */
  insertEvents(rows: readonly EventRow[]): readonly Statement[];
}

export interface Bounds {
  readonly body: "payload" | "bytes";
  readonly direction: "asc" | "desc";
  readonly budgetBytes: number;
}

/** In the order of the columns of `events`. */
export type EventRow = readonly [
  logKey: number,
  sequence: number,
  eventId: string,
  type: string,
  parentId: string | null,
  actor: string,
  runId: string | null,
  occurredAt: string,
  recordedAt: string,
  retention: number,
  payload: string | null,
  bytes: Uint8Array | null,
  payloadHash: string,
  chainHash: string,
  extras: string | null,
  mediaTimeMs: number | null,
];

/** The keys are those of logs. A changed log without rows here has changed in another way, too. */
export type AppendedRows = Map<number, readonly EventRow[]>;

/** The context of a rule, in addition to its arguments. */
export interface Scope {
  readonly workspaceId: string;
  readonly dialect: Dialect;
  /** Compiles queries, but does not run them. */
  readonly db: Kysely<Schema>;
  readonly sha256: Sha256;
  readonly newId: () => string;
  /** Stamps events, in milliseconds since 1970. */
  readonly now: () => number;
  /** The retention of types that are not in the table of events; the key `custom:NAME` is for a kind of `custom`. */
  readonly retentions?: ReadonlyMap<string, Retention>;
  /** The principal that the audit log records; by default a program that uses the library. */
  readonly by?: Principal;
  /** The places of the inherited records of each log, which no commit ever changes. */
  readonly lineages: Map<number, readonly Segment[]>;
}

/** The scope of one transaction. */
export interface Transaction extends Scope {
  /** Logs whose readers are to be woken after the commit. */
  readonly changed: Set<number>;
  /** The rows of changed logs that only grew, where the engine passes them on to readers in this process. */
  readonly appended?: AppendedRows;
  /** One event of each append. An engine that finds one of them later knows that the transaction was committed. */
  readonly witnesses?: Witness[];
}

/** A stored event. */
export interface Witness {
  readonly logKey: number;
  readonly sequence: number;
  readonly eventId: string;
}

/** A segment of a log: records of `logKey` with `after < sequence <= upTo`. */
export interface Segment {
  readonly logKey: number;
  readonly after: number;
  readonly upTo: number;
}

/** Runs a statement written by hand, with `?` for parameters. */
export function* sql<R = Row>(
  scope: Scope,
  text: string,
  ...parameters: readonly SqlValue[]
): Work<readonly R[]> {
  return (yield { sql: scope.dialect.placeholders(text), parameters }) as readonly R[];
}

/** Runs a query built with Kysely. */
export function* query<R>(built: Compilable<R>): Work<readonly R[]> {
  const { sql: text, parameters } = built.compile();
  return (yield { sql: text, parameters }) as readonly R[];
}

/** SQLite and Postgres have the same syntax for inserting a row that may exist. */
export const UPSERT: Pick<Dialect, "onConflict" | "proposed" | "returning"> = {
  onConflict: (columns, assignments) =>
    `on conflict (${columns}) do ${assignments === undefined ? "nothing" : `update set ${assignments}`}`,
  proposed: (column) => `excluded.${column}`,
  returning: (columns) => `returning ${columns}`,
};

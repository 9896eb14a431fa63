/** One connection to a database: its prepared statements, and the rules that run on it. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, SqlValue, Statement, Work } from "../engine/index.ts";

type Values = readonly unknown[];
type Parameters = (string | number | null | Uint8Array)[];

const STATEMENTS_KEPT = 500;
/**
 * SQLite plans a statement again each time that the parameter of its limit is bound, which takes longer than most
 * queries. It does not do so for an expression, so the limit becomes `+?`.
 */
const LIMIT = "limit ?";
const NO_ROWS: readonly unknown[] = [];

/** Its rows are arrays, which cost half as much as the objects that the driver makes. */
interface PreparedStatement {
  readonly statement: StatementSync;
  readonly kind: "select" | "change";
  /** The names of the columns, once rows are wanted as objects. */
  names: readonly string[] | undefined;
}

/** A rule that is running, between two of its statements. */
export interface ActiveTransaction<T> {
  readonly work: Work<T>;
  step: IteratorResult<Statement, T>;
}

export function begin<T>(work: Work<T>): ActiveTransaction<T> {
  return { work, step: work.next() };
}

export class Connection {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** The number of statements so far that are not a `select`, even if they changed no row. */
  writes = 0;

  /** Runs a rule to its end, in this turn of the event loop. */
  run<T>(work: Work<T>): T {
    const running = begin(work);
    while (running.step.done !== true) this.advance(running);
    return running.step.value;
  }

  /** Runs the next statement of a rule. Returns the amount of work. */
  advance<T>(running: ActiveTransaction<T>): number {
    const { work, step } = running;
    if (step.done === true) return 0;
    let rows: readonly unknown[];
    try {
      rows = this.#rows(step.value);
    } catch (error) {
      running.step = work.throw(error);
      return 1;
    }
    running.step = work.next(rows);
    return 1 + (step.value.workOf?.(rows) ?? rows.length);
  }

  exec(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  value(sql: string): unknown {
    return (this.#prepare(sql).statement.get() as readonly unknown[] | undefined)?.[0];
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }

  #rows({ sql, parameters, shape, last }: Statement): readonly unknown[] {
    const prepared = this.#prepare(sql);
    const { statement, kind } = prepared;
    if (kind === "change") this.writes++;
    if (shape === "none") {
      statement.run(...(parameters as Parameters));
      return NO_ROWS;
    }
    const rows =
      last === undefined
        ? (statement.all(...(parameters as Parameters)) as unknown as readonly Values[])
        : rowsUntil(statement, parameters as Parameters, last);
    if (shape === "arrays" || rows.length === 0) return rows;
    prepared.names ??= statement.columns().map(({ name }) => name);
    return objectsOf(prepared.names, rows);
  }

  #prepare(sql: string): PreparedStatement {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      const statement = this.database.prepare(sql.replaceAll(LIMIT, "limit +?"));
      statement.setReturnArrays(true);
      const kind = sql.startsWith("select") ? "select" : "change";
      prepared = { statement, kind, names: undefined };
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

function rowsUntil(
  statement: StatementSync,
  parameters: Parameters,
  last: NonNullable<Statement["last"]>,
): readonly Values[] {
  const rows: Values[] = [];
  for (const row of statement.iterate(...parameters) as unknown as Iterable<Values>) {
    rows.push(row);
    if (last(row as never)) break;
  }
  return rows;
}

function objectsOf(names: readonly string[], rows: readonly Values[]): readonly Row[] {
  return rows.map((values) => {
    const row: Record<string, SqlValue> = {};
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as SqlValue;
    return row;
  });
}

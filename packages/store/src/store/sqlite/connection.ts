/** One connection: prepared statements, and rules run on them without a pause. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Statement, Work } from "../engine/index.ts";

type Parameters = (string | number | null | Uint8Array)[];

const STATEMENTS_KEPT = 500;
const NO_ROWS: readonly unknown[] = [];

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
  readonly #objects = new Map<string, StatementSync>();
  readonly #arrays = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** The number of statements so far that changed something. */
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
    this.#prepare(sql, "objects").run();
  }

  value(sql: string): unknown {
    return Object.values(this.#prepare(sql, "objects").get() ?? {})[0];
  }

  close(): void {
    this.#objects.clear();
    this.#arrays.clear();
    this.database.close();
  }

  #rows({ sql, parameters, shape, last }: Statement): readonly unknown[] {
    const statement = this.#prepare(sql, shape === "arrays" ? "arrays" : "objects");
    if (!sql.startsWith("select")) this.writes++;
    if (shape === "none") {
      statement.run(...(parameters as Parameters));
      return NO_ROWS;
    }
    if (last === undefined) return statement.all(...(parameters as Parameters));
    const rows: unknown[] = [];
    for (const row of statement.iterate(...(parameters as Parameters))) {
      rows.push(row);
      if (last(row as never)) break;
    }
    return rows;
  }

  #prepare(sql: string, shape: "arrays" | "objects"): StatementSync {
    const kept = shape === "arrays" ? this.#arrays : this.#objects;
    let statement = kept.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      if (shape === "arrays") statement.setReturnArrays(true);
      if (kept.size >= STATEMENTS_KEPT) kept.clear();
      kept.set(sql, statement);
    }
    return statement;
  }
}

/** The column types that the two dialects call by different names. */

import { type CreateTableBuilder, type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely";

export interface Columns {
  readonly integer: "bigint" | "integer";
  readonly bytes: "bytea" | "blob";
  /** Text that is compared byte by byte, because pages and prefixes are ranges of it. */
  readonly text: "text" | RawBuilder<unknown>;
  /** Adds an integer key that the database makes, and never uses twice. */
  readonly key: <T extends string>(
    table: CreateTableBuilder<T>,
    name: string,
  ) => CreateTableBuilder<T, string>;
}

export function columnsFor(db: Kysely<unknown>): Columns {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    return {
      integer: "bigint",
      bytes: "bytea",
      text: sql`text collate "C"`,
      key: (table, name) =>
        table.addColumn(name, "bigint", (c) => c.generatedAlwaysAsIdentity().primaryKey()),
    };
  }
  return {
    integer: "integer",
    bytes: "blob",
    text: "text",
    key: (table, name) => table.addColumn(name, "integer", (c) => c.primaryKey().autoIncrement()),
  };
}

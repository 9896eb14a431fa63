/**
 * Compares the schema that the migrations make with `schema.json`: a released migration never changes. Each version
 * lists the tables that it made or changed, with their columns, constraints and indexes in the words of the database.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MIGRATIONS, migrate, SCHEMA_VERSION, TABLES } from "../../packages/store/src/store/schema/index.ts";
import { createKysely } from "../../packages/store/src/store/sqlite/index.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

/** The keys are tables, and the values are the lines of their definitions. */
type Described = Readonly<Record<string, readonly string[]>>;
type Versions = Readonly<Record<string, Described>>;

const EXPECTED = JSON.parse(readFileSync(join(import.meta.dirname, "schema.json"), "utf8")) as Readonly<
  Record<string, Versions>
>;

/** The tables that record the migrations belong to Kysely. */
const OWN = "not like 'continuo_%'";

interface OpenDatabase {
  readonly db: Kysely<never>;
  readonly describe: () => Promise<Described>;
  readonly query: (sql: string) => Promise<readonly unknown[]>;
  readonly close: () => Promise<void> | void;
}

const ENGINES: Readonly<Record<string, () => Promise<OpenDatabase>>> = {
  sqlite: openSqlite,
  postgres: openPostgres,
};

describe.each(Object.entries(ENGINES))("on %s", (engine, open) => {
  const found: Record<string, Described> = {};
  let applied: readonly string[] = [];
  let database: OpenDatabase;

  beforeAll(async () => {
    database = await open();
    let before: Described = {};
    for (let version = 1; version <= SCHEMA_VERSION; version++) {
      applied = [...applied, ...(await migrate(database.db, version))];
      const now = await database.describe();
      found[version] = changedTables(before, now);
      before = now;
    }
  });
  afterAll(() => database.close());

  test("each migration makes the same tables, columns, constraints and indexes as when it was released", () => {
    expect(found).toEqual(EXPECTED[engine]);
  });

  test("a fresh store has the tables of the list, and marks are counted from 1", async () => {
    expect(Object.keys(await database.describe()).sort()).toEqual([...TABLES].sort());
    expect(await database.query("select name, value from counters")).toEqual([{ name: "mark", value: 1 }]);
  });

  test("migrations are applied in their order, once, and have the names that databases remember", async () => {
    const names = "001-logs 002-projections 003-access 004-leases 005-audit 006-priorities 007-places";
    expect(applied).toEqual(names.split(" "));
    expect(await migrate(database.db)).toEqual([]);
    // Servers of version 3 refuse a database if this table has a name that they do not know.
    expect(await database.query("select name from continuo_migrations order by name")).toEqual(
      applied.slice(0, 3).map((name) => ({ name })),
    );
    expect(
      await database.query(
        "select version, name, schema_compatible_from from continuo_schema order by version",
      ),
    ).toEqual([
      { version: 4, name: "004-leases", schema_compatible_from: 3 },
      { version: 5, name: "005-audit", schema_compatible_from: 3 },
      { version: 6, name: "006-priorities", schema_compatible_from: 3 },
      { version: 7, name: "007-places", schema_compatible_from: 3 },
    ]);
  });

  test("since version 3, each version runs on the schema that the next migration makes", () => {
    for (const [index, { compatibleFrom }] of Object.values(MIGRATIONS).entries()) {
      if (index >= 3) expect(compatibleFrom).toBeLessThanOrEqual(index);
    }
  });
});

function changedTables(before: Described, now: Described): Described {
  const changed = Object.entries(now).filter(
    ([table, lines]) => JSON.stringify(lines) !== JSON.stringify(before[table]),
  );
  return Object.fromEntries(changed);
}

function byTable(rows: readonly { readonly table: string; readonly line: string }[]): Described {
  const tables: Record<string, string[]> = {};
  for (const { table, line } of rows) {
    tables[table] ??= [];
    tables[table].push(line.replaceAll('"', "").replaceAll(/\s+/gu, " "));
  }
  return tables;
}

async function openSqlite(): Promise<OpenDatabase> {
  const database = new DatabaseSync(":memory:");
  const all = (sql: string) => database.prepare(sql).all() as unknown as { table: string; line: string }[];
  return {
    db: createKysely<never>(database),
    query: async (sql) => all(sql).map((row) => ({ ...row })),
    describe: async () => {
      const tables = all(`select name as "table", sql as line from sqlite_master
        where type = 'table' and name ${OWN} and name <> 'sqlite_sequence' order by name`);
      const indexes = all(`select tbl_name as "table", sql as line from sqlite_master
        where type = 'index' and sql is not null order by name`);
      return byTable([
        ...tables.flatMap(({ table, line }) => partsOf(line).map((part) => ({ table, line: part }))),
        ...indexes,
      ]);
    },
    close: () => database.close(),
  };
}

/**
 * Returns the columns and constraints of a `create table`: the parts between its commas; a part can contain a list with
 * commas.
 */
function partsOf(sql: string): readonly string[] {
  return sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")")).split(/, (?![^(]*\))/u);
}

async function openPostgres(): Promise<OpenDatabase> {
  const pool = new pg.Pool({ connectionString: await newPostgresDatabase(), max: 1 });
  const query = async (sql: string) => (await pool.query(sql)).rows;
  return {
    db: new Kysely<never>({ dialect: new PostgresDialect({ pool }) }),
    query: async (sql) =>
      JSON.parse(JSON.stringify(await query(sql)).replaceAll(/"(\d+)"/gu, "$1")) as unknown[],
    describe: async () =>
      byTable([
        ...(await query(`select c.relname as "table", a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || case when l.collname <> 'default' then ' collate ' || l.collname else '' end
            || case when a.attnotnull then ' not null' else '' end
            || case a.attidentity when 'a' then ' always identity' else a.attidentity::text end as line
          from pg_attribute a join pg_class c on c.oid = a.attrelid
            left join pg_collation l on l.oid = a.attcollation
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname ${OWN}
            and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`)),
        ...(await query(`select c.relname as "table", n.conname || ' ' || pg_get_constraintdef(n.oid) as line
          from pg_constraint n join pg_class c on c.oid = n.conrelid
          where c.relnamespace = 'public'::regnamespace and c.relname ${OWN} and n.contype <> 'n'
          order by n.conname`)),
        ...(await query(`select tablename as "table", indexdef as line from pg_indexes
          where schemaname = 'public' and tablename ${OWN} and indexname not in (select conname from pg_constraint)
          order by indexname`)),
      ]),
    close: () => pool.end(),
  };
}

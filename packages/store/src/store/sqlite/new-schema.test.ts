import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MIGRATION_TIMES, migrate } from "../schema/index.ts";
import { createKysely } from "./dialect.ts";
import { createSchema } from "./new-schema.ts";

/** Every table, index and trigger with its text, and every row, without the times of the migrations. */
function contentOf(database: DatabaseSync): unknown {
  for (const [table, column] of MIGRATION_TIMES) database.exec(`update ${table} set ${column} = ''`);
  const objects = database.prepare("select type, name, tbl_name, sql from sqlite_master order by name").all();
  const tables = objects.filter(({ type }) => type === "table");
  return {
    objects,
    rows: tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]),
    version: database.prepare("pragma user_version").get(),
  };
}

test("a new database has exactly what the migrations make, with the time at which it was made", async () => {
  using migrated = new DatabaseSync(":memory:");
  await migrate(createKysely<never>(migrated));
  using created = new DatabaseSync(":memory:");
  const before = new Date().toISOString();
  await createSchema(created);
  for (const [table, column] of MIGRATION_TIMES) {
    const times = created.prepare(`select ${column} as time from ${table}`).all();
    expect(times.length).toBeGreaterThan(0);
    for (const { time } of times) expect(String(time) >= before).toBe(true);
  }
  expect(contentOf(created)).toEqual(contentOf(migrated));
});

test("a database with one table of anybody's is left as it is", async () => {
  using database = new DatabaseSync(":memory:");
  database.exec("create table mine (name text)");
  await createSchema(database);
  expect(database.prepare("select name from sqlite_master").all()).toEqual([{ name: "mine" }]);
});

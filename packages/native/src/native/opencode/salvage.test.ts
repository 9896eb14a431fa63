import { cpSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { openDatabase } from "./database.ts";

const FIXTURE = join(
  import.meta.dirname,
  "../../../../../test/fixtures/opencode/parallel-tools/home/opencode/opencode.db",
);
const PAGE_BYTES = 1024;

let scratch: string;
let path: string;
beforeEach(() => {
  scratch = scratchFolder("salvage");
  path = join(scratch, "opencode.db");
  cpSync(FIXTURE, path);
});

/** A database of many pages, whose last page holds none of these rows. */
function fill(count: number): void {
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    "insert into part select ?, message_id, session_id, time_created, time_updated, ? from part limit 1",
  );
  for (let at = 0; at < count; at++)
    insert.run(`prt_more${String(at).padStart(5, "0")}`, `{"text":"${"x".repeat(700)}"}`);
  database.exec("create table padding (text text)");
  database.prepare("insert into padding values (?)").run("x".repeat(3000));
  database.close();
}

async function read<T>(run: (rows: (sql: string) => unknown[], isSalvaged: boolean) => T): Promise<T> {
  const database = await openDatabase(path);
  try {
    return run((sql) => database.few(sql), database.isSalvaged);
  } finally {
    database.close();
  }
}

const PARTS = "select * from part order by id";

test("a database without its end gives the rows that are complete", async () => {
  fill(50);
  const whole = await read((rows, isSalvaged) => {
    expect(isSalvaged).toBe(false);
    return [rows("select * from session"), rows(PARTS)];
  });
  truncateSync(path, readFileSync(path).length - PAGE_BYTES);
  const rest = await read((rows, isSalvaged) => {
    expect(isSalvaged).toBe(true);
    return [rows("select * from session"), rows(PARTS)];
  });
  expect(rest).toEqual(whole);
});

test("rows after a lost page are found", async () => {
  fill(50);
  const ids = await read((rows) =>
    (rows("select id from part order by id") as { id: string }[]).map(({ id }) => id),
  );
  const bytes = readFileSync(path);
  // The row itself, and not the entry of an index.
  let at = bytes.indexOf("prt_more00020");
  while (!bytes.toString("latin1", at, at + 200).includes('{"text"'))
    at = bytes.indexOf("prt_more00020", at + 1);
  bytes.fill(0, at - (at % PAGE_BYTES), at - (at % PAGE_BYTES) + PAGE_BYTES);
  writeFileSync(path, bytes.subarray(0, -PAGE_BYTES));
  const left = await read((rows) =>
    (rows("select id from part order by id") as { id: string }[]).map(({ id }) => id),
  );
  expect(left).not.toContain("prt_more00020");
  expect(left.length).toBeGreaterThan(ids.length - 3);
  expect(ids.filter((id) => left.includes(id))).toEqual(left);
});

test.each([0.9, 0.6, 0.3, 0.1, 0.01])(
  "a database that was cut at %f of its size is read or refused",
  async (part) => {
    truncateSync(path, Math.floor(readFileSync(path).length * part));
    const before = readFileSync(path);
    const outcome = await read((rows, isSalvaged) => [
      isSalvaged,
      rows("select id from session").length,
    ]).catch((error: { code: string; hint: string }) => [error.code, error.hint]);
    const refused = ["unreadable", expect.stringContaining("Restore the database from a backup")];
    expect([[true, 1], refused]).toContainEqual(outcome);
    expect(readFileSync(path)).toEqual(before);
  },
);

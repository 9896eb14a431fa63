import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { removeIndex, useIndex } from "./index-database.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = scratchFolder("index-database");
  path = join(folder, "index.db");
  await useIndex(path, "write", insert);
});

function insert(database: DatabaseSync): void {
  database.exec("insert into files (path, stamp, answers, checksum) values ('a', 'b', 'c', 1)");
}

function corruption(): Error {
  return Object.assign(new Error("malformed"), { code: "ERR_SQLITE_ERROR", errcode: 11 });
}

async function rows(): Promise<unknown> {
  const used = await useIndex(path, "read", (database) =>
    database.prepare("select count(*) as count from files").get(),
  );
  return used.state === "ready" ? used.value?.count : used.state;
}

test.each([
  ["breaks a constraint", "insert into files (path, stamp, answers, checksum) values ('a', 'b', 'c', 1)", 19],
  ["names a table that does not exist", "select * from no_table", 1],
  ["is no SQL", "selekt", 1],
  ["is too big", "insert into chunks (session, passages) values (1, zeroblob(2000000000))", 18],
])("a statement that %s is an error, and the index stays", async (_, sql, code) => {
  const used = useIndex(path, "write", (database) => database.exec(sql));
  await expect(used).rejects.toSatisfy(({ errcode }) => (errcode & 0xff) === code);
  expect(await rows()).toBe(1);
});

test.each([
  ["lost a table", "drop table files"],
  ["has a column of another name", "alter table files rename column answers to answer"],
  ["has another version of the full-text index", "update words_config set v = 99 where k = 'version'"],
])("an index that %s is removed, and made again by the next writer", async (_, damage) => {
  await useIndex(path, "write", (database) => {
    database.enableDefensive(false);
    database.exec(damage);
  });
  const use = (database: DatabaseSync): void => {
    database.prepare("select answers from files").all();
    database.prepare("select rowid from words where words match 'x'").all();
  };
  expect(await useIndex(path, "read", use)).toEqual({ state: "missing" });
  expect(existsSync(path)).toBe(false);
  expect(await useIndex(path, "write", use)).toMatchObject({ state: "ready" });
});

test("a new index that another process puts in place of a damaged one is not removed", async () => {
  const [fresh, spoiled] = [`${path}.fresh`, `${path}.spoiled`];
  writeFileSync(fresh, readFileSync(path));
  const inode = statSync(fresh).ino;
  const used = await useIndex(path, "read", () => {
    renameSync(path, spoiled);
    renameSync(fresh, path);
    writeFileSync(`${path}-journal`, "of a write that is under way");
    throw corruption();
  });
  expect(used).toEqual({ state: "missing" });
  expect([statSync(path).ino, existsSync(`${path}-journal`)]).toEqual([inode, true]);
});

test("a damaged index that another process has already removed is missing", async () => {
  const damage = (): never => {
    rmSync(path);
    throw corruption();
  };
  expect(await useIndex(path, "read", damage)).toEqual({ state: "missing" });
});

test("an index is removed with its journal, also if there is none", () => {
  writeFileSync(`${path}-journal`, "");
  removeIndex(path);
  removeIndex(path);
  expect([existsSync(path), existsSync(`${path}-journal`)]).toEqual([false, false]);
});

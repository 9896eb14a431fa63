import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test, vi } from "vitest";
import type { Connection } from "./connection.ts";
import { copyDatabase } from "./copy.ts";

const folder = fs.mkdtempSync(join(tmpdir(), "continuo-copy-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test("a copy of a database is private, whole, and synced after its content is written", () => {
  const path = join(folder, "copy.db");
  using database = new DatabaseSync(":memory:");
  database.exec("create table t (a); insert into t values ('kept')");
  const { fsyncSync } = fs;
  const sizes: number[] = [];
  vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
    fsyncSync(file);
    sizes.push(fs.statSync(path).size);
  });
  syncBuiltinESMExports();
  try {
    copyDatabase({ database } as Connection, path);
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
  expect([sizes[0], sizes.at(-1)]).toEqual([0, fs.statSync(path).size]);
  expect((fs.statSync(path).mode & 0o777).toString(8)).toBe("600");
  using copy = new DatabaseSync(path, { readOnly: true });
  expect(copy.prepare("select a from t").get()).toEqual({ a: "kept" });
});

test("a copy never takes the place of a file", () => {
  const path = join(folder, "taken.db");
  fs.writeFileSync(path, "mine");
  using database = new DatabaseSync(":memory:");
  expect(() => copyDatabase({ database } as Connection, path)).toThrow(
    expect.objectContaining({ code: "EEXIST" }),
  );
  expect(fs.readFileSync(path, "utf8")).toBe("mine");
});

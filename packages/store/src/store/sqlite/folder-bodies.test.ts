import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folderBodies } from "./folder-bodies.ts";

const KEY = "0199-ab";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-bodies-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function* bytes(error?: Error): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(10);
  if (error !== undefined) throw error;
}

const refused = {
  code: "unavailable",
  message: expect.stringContaining("the database /d.db"),
  hint: expect.any(String),
};

test("a folder that cannot be made is the store's error", async () => {
  writeFileSync(join(folder, "file"), "");
  const { put } = folderBodies([join(folder, "file")], "/d.db");
  await expect(put(KEY, bytes())).rejects.toMatchObject(refused);
});

test("a body that cannot be read is the store's error", async () => {
  mkdirSync(join(folder, "ab", KEY), { recursive: true });
  const { open } = folderBodies([folder], "/d.db");
  await expect(Array.fromAsync(open(KEY))).rejects.toMatchObject(refused);
});

test("an error of the caller's bytes stays the caller's, and nothing is left", async () => {
  const error = Object.assign(new Error("no such file"), { code: "ENOENT" });
  await expect(folderBodies([folder], "/d.db").put(KEY, bytes(error))).rejects.toBe(error);
  expect(readdirSync(join(folder, "ab"))).toEqual([]);
});

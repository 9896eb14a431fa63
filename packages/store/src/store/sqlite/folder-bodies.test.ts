import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { folderBodies } from "./folder-bodies.ts";

const KEY = "0199-ab";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("bodies");
});

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

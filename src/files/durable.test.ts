import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeDurably } from "./durable.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-durable-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "0"]);
  await once(child, "exit");
  return child.pid ?? 0;
}

test("a file is replaced as a whole, for this user alone, and nothing else is left", () => {
  const path = join(folder, "below", "file");
  writeDurably(path, "one");
  writeDurably(path, "two");
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "below")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "below"))).toEqual(["file"]);
});

test("a write removes drafts of its file that nobody finishes, and no others", async () => {
  const path = join(folder, "file");
  const [dead, old, fresh, other, named] = [
    `${path}.new-${await endedPid()}-0`,
    `${path}.new-1-0`,
    `${path}.new-${process.ppid}-0`,
    join(folder, `other.new-${await endedPid()}-0`),
    `${path}.new-idea`,
  ];
  for (const draft of [dead, old, fresh, other, named]) writeFileSync(draft, "half");
  utimesSync(old, 0, 0);
  writeDurably(path, "whole");
  expect([dead, old, fresh, other, named].map((draft) => existsSync(draft))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("a write that fails leaves the file as it was, and no draft", () => {
  const path = join(folder, "file");
  writeDurably(join(path, "inside"), "a folder is in the way");
  expect(() => writeDurably(path, "text")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/u);
  expect(readdirSync(folder)).toEqual(["file"]);
});

import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { openSecurityFile } from "./security-file.ts";

let folder: string;
let warnings: string[];
const shell = { stderr: { write: (text: string) => warnings.push(text) } } as never;
beforeEach(() => {
  folder = scratchFolder("security");
  warnings = [];
});

test("lines are appended to a private file, and to a new one after the system moved the old one away", async () => {
  const path = join(folder, "security.jsonl");
  {
    await using file = openSecurityFile(path, shell);
    file.write("one");
    file.write("two");
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
  renameSync(path, `${path}.1`);
  {
    await using file = openSecurityFile(path, shell);
    file.write("three");
  }
  expect([readFileSync(`${path}.1`, "utf8"), readFileSync(path, "utf8")]).toEqual(["one\ntwo\n", "three\n"]);
  expect(warnings).toEqual([]);
});

test("lines that the disk does not write in time are dropped and counted", async () => {
  const path = join(folder, "security.jsonl");
  {
    await using file = openSecurityFile(path, shell);
    for (let turn = 0; turn < 5_000; turn++) file.write("x");
  }
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const dropped = lines.filter((line) => line !== "x").map((line) => JSON.parse(line) as { count: number });
  expect(lines.length).toBeLessThan(2_100);
  expect(lines.length - dropped.length + dropped.reduce((sum, { count }) => sum + count, 0)).toBe(5_000);
});

test("a file that cannot be written is reported once, and stops nothing", async () => {
  await using file = openSecurityFile(join(folder, "none", "security.jsonl"), shell);
  file.write("one");
  await expect.poll(() => warnings).toEqual([expect.stringContaining("cannot write the security log")]);
  file.write("two");
});

test("a hyphen means the standard error of the command", async () => {
  await using file = openSecurityFile("-", shell);
  file.write("one");
  expect(warnings).toEqual(["one\n"]);
});

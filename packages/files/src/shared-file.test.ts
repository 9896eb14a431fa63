import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { createSharedFile, readSharedFile, replaceSharedFile } from "./shared-file.ts";

const folder = scratchFolder("shared");

test("a shared file is replaced only while it is as it was read, and keeps its permissions and its link", () => {
  const path = join(folder, "a.md");
  writeFileSync(path, "one");
  chmodSync(path, 0o640);
  const link = join(folder, "link.md");
  symlinkSync(path, link);
  const was = readSharedFile(link);
  if (was === null) throw new Error("the file is not there");
  expect(replaceSharedFile(link, { was, bytes: Buffer.from("two") })).toBe("replaced");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["two", 0o640]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(replaceSharedFile(link, { was, bytes: Buffer.from("three") })).toBe("changed");
  rmSync(path);
  expect(replaceSharedFile(path, { was, bytes: Buffer.from("three") })).toBe("changed");
  expect(readdirSync(folder)).toEqual(["link.md"]);
});

test("a shared file is created only if no file has its name", () => {
  const path = join(folder, "b.md");
  expect(createSharedFile(path, Buffer.from("one"))).toBe(true);
  expect(createSharedFile(path, Buffer.from("two"))).toBe(false);
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["one", 0o600]);
  expect(readdirSync(folder).filter((name) => name.startsWith("b.md"))).toEqual(["b.md"]);
});

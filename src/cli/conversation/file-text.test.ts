import { execFileSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { fileText } from "./file-text.ts";

const folder = scratchFolder("file");

function made(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test("a regular file is read as text", () => {
  expect(fileText(made("a", "zwölf\n"))).toBe("zwölf\n");
});

test.each([
  ["a relative path", () => "package.json"],
  ["a folder", () => folder],
  ["a device", () => "/dev/zero"],
  ["a missing file", () => join(folder, "none")],
  ["a path with a NUL", () => `${folder}/a\0b`],
  [
    "a file above 1 MB",
    () => {
      const path = made("big", "");
      truncateSync(path, 1_000_001);
      return path;
    },
  ],
  [
    "a named pipe, without waiting for a writer",
    () => {
      execFileSync("mkfifo", [join(folder, "pipe")]);
      return join(folder, "pipe");
    },
  ],
])("nothing is read from %s", (_, path) => {
  expect(fileText(path())).toBeNull();
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { folderNotNamed, folderOf, isAbsoluteFolder } from "./folder.ts";

let root: string;
let own: string;
let asked: string;
beforeEach(() => {
  root = scratchFolder("folder");
  [own, asked] = [join(root, "own"), join(root, "asked")];
  for (const folder of [own, asked]) mkdirSync(folder);
});

test("a session continues in the requested folder, else in its own", () => {
  expect(folderOf({ cwd: own }, undefined)).toBe(own);
  expect(folderOf({ cwd: own }, asked)).toBe(asked);
  expect(folderOf({ cwd: null }, asked)).toBe(asked);
  expect(folderOf({ cwd: "own" }, asked)).toBe(asked);
  expect(folderOf({ cwd: own }, relative(process.cwd(), asked))).toBe(asked);
  expect(folderOf({ cwd: `${own}/../asked/` }, undefined)).toBe(asked);
});

const HINT = "Name a folder with --cwd DIR.";

test.each<[string | null, string]>([
  [null, "the session does not name its folder"],
  ["own", "the session names its folder by a relative path: own"],
  ["", "the session names its folder by a relative path: "],
])("a session of the folder %j cannot continue unless another folder is named", (cwd, message) => {
  expect(() => folderOf({ cwd }, undefined)).toThrow(
    expect.objectContaining({ code: "usage", message, hint: HINT }),
  );
  expect(isAbsoluteFolder(cwd)).toBe(false);
});

test("a folder that does not exist, that cannot exist, or that is a file, is not found", () => {
  const missing = join(root, "missing");
  const [nul, long] = [join(root, "a\0b"), join(root, "x".repeat(5_000))];
  const file = join(root, "file");
  writeFileSync(file, "");
  const cases = [
    [missing, `there is no folder ${missing}`],
    [nul, `there is no folder ${nul}`],
    [long, `there is no folder ${long}`],
    [file, `${file} is a file, not a folder`],
  ] as const;
  for (const [path, message] of cases) {
    const notFound = expect.objectContaining({ code: "not_found", message, hint: HINT });
    expect(() => folderOf({ cwd: path }, undefined)).toThrow(notFound);
    expect(() => folderOf({ cwd: own }, path)).toThrow(notFound);
  }
});

test("a command that has no such flag gives another hint", () => {
  expect(isAbsoluteFolder("/home/dev")).toBe(true);
  expect(folderNotNamed(null, "Choose a folder.")).toMatchObject({ code: "usage", hint: "Choose a folder." });
});

import fs, {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { copyDurably, keepDurably, moveDurably, unfinishedPath } from "./move.ts";

let folder: string;
let from: string;
let to: string;
beforeEach(() => {
  folder = scratchFolder("move");
  for (const name of ["here", "there"]) mkdirSync(join(folder, name));
  from = join(folder, "here", "file");
  to = join(folder, "there", "file");
  writeFileSync(from, "new", { mode: 0o640 });
  utimesSync(from, 1_000, 2_000);
});

const namesBelow = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

test("a moved file is the same file, in place of what was there", () => {
  writeFileSync(to, "old");
  const { ino, mtimeMs } = statSync(from);
  moveDurably(from, to);
  expect(statSync(to)).toMatchObject({ ino, mtimeMs });
  expect(namesBelow()).toEqual(["here", "there", "there/file"]);
});

test("a move that was cut off between its two names is finished by another one", () => {
  linkSync(from, to);
  linkSync(from, unfinishedPath(to, process.pid));
  moveDurably(from, to);
  expect(readFileSync(to, "utf8")).toBe("new");
  expect(namesBelow()).toEqual(["here", "there", "there/file"]);
});

test("a moved file loses its first name when the second one is on disk", () => {
  const there: string[] = [];
  const { fsyncSync } = fs;
  vi.spyOn(fs, "fsyncSync").mockImplementation((fd) => {
    there.push(
      namesBelow()
        .filter((name) => name.endsWith("/file"))
        .join(" "),
    );
    fsyncSync(fd);
  });
  syncBuiltinESMExports();
  try {
    moveDurably(from, to);
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
  expect(there).toEqual(["here/file there/file", "there/file"]);
});

test("a link is moved as a link", () => {
  const link = join(folder, "here", "link");
  symlinkSync("nowhere", link);
  moveDurably(link, to);
  expect([readlinkSync(to), existsSync(link)]).toEqual(["nowhere", false]);
});

test("a copy has the mode and the time stamps of its file, and stays when that changes", () => {
  copyDurably(from, to);
  writeFileSync(from, "changed");
  copyDurably(from, join(folder, "there", "again"));
  expect(readFileSync(to, "utf8")).toBe("new");
  expect(statSync(to).mode & 0o777).toBe(0o640);
  expect(lstatSync(to).mtimeMs).toBe(2_000_000);
  expect(namesBelow()).toEqual(["here", "here/file", "there", "there/again", "there/file"]);
});

test("a copy takes the place of an older one", () => {
  writeFileSync(to, "old");
  copyDurably(from, to);
  expect(readFileSync(to, "utf8")).toBe("new");
});

test("a kept file is the same file under a second name", () => {
  keepDurably(from, to);
  expect([statSync(to).ino, statSync(from).nlink]).toEqual([statSync(from).ino, 2]);
});

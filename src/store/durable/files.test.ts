import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFile, makeFolder, syncPath } from "./files.ts";

const folder = fs.mkdtempSync(join(tmpdir(), "continuo-durable-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

let made = 0;
const newPath = (): string => join(folder, `${made++}`);

/** The paths that were synced, and the ones that are open, in the order of the calls. */
let synced: string[];
let open: Map<number, string>;

beforeEach(() => {
  synced = [];
  open = new Map();
  const { openSync, closeSync, fsyncSync } = fs;
  vi.spyOn(fs, "openSync").mockImplementation((path, flags, mode) => {
    const file = openSync(path, flags, mode);
    open.set(file, String(path));
    return file;
  });
  vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
    fsyncSync(file);
    synced.push(open.get(file) ?? "?");
  });
  vi.spyOn(fs, "closeSync").mockImplementation((file) => {
    closeSync(file);
    open.delete(file);
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function modeOf(path: string): string {
  return (fs.statSync(path).mode & 0o777).toString(8);
}

function withoutUmask(run: () => void): void {
  const before = process.umask(0);
  try {
    run();
  } finally {
    process.umask(before);
  }
}

test("a new file is private and empty, and its folder is synced", () => {
  const path = newPath();
  withoutUmask(() => createFile(path));
  expect([modeOf(path), fs.statSync(path).size]).toEqual(["600", 0]);
  expect([synced, open.size]).toEqual([[folder], 0]);
});

test("a file that is there is not made again", () => {
  const path = newPath();
  fs.writeFileSync(path, "kept");
  expect(() => createFile(path)).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(fs.readFileSync(path, "utf8")).toBe("kept");
});

test("new folders are private, and each is synced with the one above it", () => {
  const path = newPath();
  withoutUmask(() => makeFolder(join(path, "a", "b")));
  expect([path, join(path, "a"), join(path, "a", "b")].map(modeOf)).toEqual(["700", "700", "700"]);
  expect(synced).toEqual([folder, path, join(path, "a")]);
  expect(open.size).toBe(0);
});

test("a folder that is there is left as it is", () => {
  makeFolder(folder);
  expect(synced).toEqual([]);
});

test("a folder that another process makes at the same time is synced too", () => {
  const path = newPath();
  const { mkdirSync } = fs;
  vi.spyOn(fs, "mkdirSync").mockImplementation((given: fs.PathLike): undefined => {
    mkdirSync(given);
    mkdirSync(given);
  });
  syncBuiltinESMExports();
  makeFolder(path);
  expect([fs.existsSync(path), synced]).toEqual([true, [folder]]);
});

test("a folder that cannot be made is an error of the system", () => {
  const file = newPath();
  fs.writeFileSync(file, "");
  expect(() => makeFolder(join(file, "below"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
});

test("a file and a folder are synced by their path, and closed, also when the disk fails", () => {
  const path = newPath();
  fs.writeFileSync(path, "x");
  syncPath(path);
  syncPath(folder);
  expect([synced, open.size]).toEqual([[path, folder], 0]);
  vi.spyOn(fs, "fsyncSync").mockImplementation(() => {
    throw Object.assign(new Error("disk"), { code: "EIO" });
  });
  syncBuiltinESMExports();
  expect(() => syncPath(path)).toThrow("disk");
  expect(open.size).toBe(0);
});

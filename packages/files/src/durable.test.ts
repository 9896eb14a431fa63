import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import {
  createFile,
  isFolder,
  makeFolderDurably,
  makeScratchFolder,
  removeLeftScratch,
  renameDurably,
  renameToFreeName,
  syncPath,
} from "./durable.ts";

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
  withoutUmask(() => makeFolderDurably(join(path, "a", "b")));
  expect([path, join(path, "a"), join(path, "a", "b")].map(modeOf)).toEqual(["700", "700", "700"]);
  expect(synced).toEqual([folder, path, join(path, "a")]);
  expect(open.size).toBe(0);
});

test("a folder that is there is left as it is", () => {
  makeFolderDurably(folder);
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
  makeFolderDurably(path);
  expect([fs.existsSync(path), synced]).toEqual([true, [folder]]);
});

test("a file in the way of a folder is named by the error of the system", () => {
  const file = newPath();
  fs.writeFileSync(file, "");
  const error = expect.objectContaining({ code: "EEXIST", path: file });
  expect(() => makeFolderDurably(join(file, "below"))).toThrow(error);
});

test("a link to nothing in the way of a folder is an error of the system", () => {
  const link = newPath();
  fs.symlinkSync(newPath(), link);
  expect(() => makeFolderDurably(link)).toThrow(expect.objectContaining({ code: "EEXIST" }));
});

test("a new folder below one that no folder can be made in is an error of the system", () => {
  expect(() => makeFolderDurably("/proc/continuo/below")).toThrow(
    expect.objectContaining({ code: "ENOENT" }),
  );
});

test("a scratch folder is private, and nothing is synced for it", () => {
  const path = newPath();
  withoutUmask(() => makeScratchFolder(join(path, "a")));
  expect([[path, join(path, "a")].map(modeOf), synced]).toEqual([["700", "700"], []]);
});

test("a renamed file takes the place of another one, and its folder is synced", () => {
  const [from, to] = [newPath(), newPath()];
  fs.writeFileSync(from, "new");
  fs.writeFileSync(to, "old");
  renameDurably(from, to);
  expect([fs.readFileSync(to, "utf8"), fs.existsSync(from), synced]).toEqual(["new", false, [folder]]);
});

function refuseLinks(code: string): void {
  vi.spyOn(fs, "linkSync").mockImplementation(() => {
    throw Object.assign(new Error("no links"), { code });
  });
  syncBuiltinESMExports();
}

test.each(["with", "without"])("a file takes a free name %s hard links, and never a taken one", (links) => {
  if (links === "without") refuseLinks("EPERM");
  const [from, to] = [newPath(), newPath()];
  fs.writeFileSync(from, "new");
  expect(renameToFreeName(from, to)).toBe(true);
  expect([fs.readFileSync(to, "utf8"), fs.existsSync(from), synced.at(-1)]).toEqual(["new", false, folder]);
  fs.writeFileSync(from, "newer");
  expect(renameToFreeName(from, to)).toBe(false);
  expect([fs.readFileSync(to, "utf8"), fs.readFileSync(from, "utf8")]).toEqual(["new", "newer"]);
});

test("a file that appears at the last moment is not replaced, also without hard links", () => {
  refuseLinks("EPERM");
  const [from, to] = [newPath(), newPath()];
  fs.writeFileSync(from, "new");
  const { lstatSync } = fs;
  const openSync = vi.mocked(fs.openSync).getMockImplementation() ?? fs.openSync;
  const appear = (): void => {
    if (!fs.existsSync(to)) fs.writeFileSync(to, "of somebody else");
  };
  vi.mocked(fs.openSync).mockImplementation((path, flags, mode) => {
    if (path === to) appear();
    return openSync(path, flags, mode);
  });
  vi.spyOn(fs, "lstatSync").mockImplementation(((path: fs.PathLike) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    appear();
    return stat;
  }) as typeof fs.lstatSync);
  syncBuiltinESMExports();
  expect(renameToFreeName(from, to)).toBe(false);
  expect(fs.readFileSync(to, "utf8")).toBe("of somebody else");
});

test("a file that keeps its old name too is an error, not a taken name", () => {
  const [from, to] = [newPath(), newPath()];
  fs.writeFileSync(from, "new");
  vi.spyOn(fs, "rmSync").mockImplementation(() => {
    throw Object.assign(new Error("disk"), { code: "EIO" });
  });
  syncBuiltinESMExports();
  expect(() => renameToFreeName(from, to)).toThrow("disk");
});

test("a rename that fails leaves nothing at the new name", () => {
  refuseLinks("EPERM");
  const to = newPath();
  expect(() => renameToFreeName(newPath(), to)).toThrow(expect.objectContaining({ code: "ENOENT" }));
  expect(fs.existsSync(to)).toBe(false);
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

test("a path that the system refuses to look at is no folder", () => {
  const file = newPath();
  fs.writeFileSync(file, "");
  const refused = ["\0", "x".repeat(5_000), "missing"].map((name) => join(folder, name));
  expect([folder, file, join(file, "below"), ...refused].map(isFolder)).toEqual([
    true,
    ...Array(5).fill(false),
  ]);
});

test("the scratch folders of killed processes are removed, but not those of another user", () => {
  const folder = scratchFolder("left-scratch");
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  fs.mkdirSync(join(folder, `continuo-scratch-${pid}-a`));
  removeLeftScratch((process.getuid?.() ?? 0) + 1);
  expect(fs.readdirSync(folder)).toHaveLength(1);
  removeLeftScratch();
  expect(fs.readdirSync(folder)).toEqual([]);
});

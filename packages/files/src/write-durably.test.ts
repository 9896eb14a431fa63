import { spawn } from "node:child_process";
import { once } from "node:events";
import type * as fs from "node:fs";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";

/** The operations on files in their order, with the names of the files. */
const journal: string[] = [];

/** The mock calls the real functions, and records the calls that decide whether a loss of power loses a file. */
vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  const names = new Map<number, string>();
  const wrapped: Partial<typeof fs> = {
    openSync: (path, ...more) => {
      const fd = real.openSync(path, ...more);
      names.set(fd, basename(String(path)));
      return fd;
    },
    writeSync: ((fd: number, ...more: never[]) => {
      journal.push(`write ${names.get(fd)}`);
      return (real.writeSync as (...given: unknown[]) => number)(fd, ...more);
    }) as typeof fs.writeSync,
    fsyncSync: (fd) => {
      real.fsyncSync(fd);
      journal.push(`sync ${names.get(fd)}`);
    },
    renameSync: (from, to) => {
      real.renameSync(from, to);
      journal.push(`rename ${basename(String(from))} ${basename(String(to))}`);
    },
  };
  return { ...real, ...wrapped };
});

// A worker keeps modules between test files, so the modules that use the replaced one are loaded again and then
// removed.
vi.resetModules();
const { withDraft, writeDraft, writeDurably } = await import("./write-durably.ts");
afterAll(() => {
  vi.resetModules();
});

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

test("a file is replaced as a whole, readable only by this user, and no draft is left", () => {
  const path = join(folder, "below", "file");
  writeDurably(path, "one");
  writeDurably(path, "two");
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "below")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "below"))).toEqual(["file"]);
});

test("the draft is on disk before it has the file's name, and the name is on disk when the call returns", () => {
  journal.length = 0;
  writeDurably(join(folder, "file"), "text");
  const draft = journal[0]?.split(" ")[1] ?? "";
  expect(draft).toMatch(/^file\.new-/u);
  expect(journal).toEqual([
    `write ${draft}`,
    `sync ${draft}`,
    `rename ${draft} file`,
    `sync ${basename(folder)}`,
  ]);
});

test("a write removes abandoned drafts of its file, and no others", async () => {
  const path = join(folder, "file");
  const [dead, journal, old, fresh, other, named] = [
    `${path}.new-${await endedPid()}-0-0123456789abcdef`,
    `${path}.new-${await endedPid()}-0-journal`,
    `${path}.new-1-0`,
    `${path}.new-${process.ppid}-0-0123456789abcdef`,
    join(folder, `other.new-${await endedPid()}-0`),
    `${path}.new-idea`,
  ];
  for (const draft of [dead, journal, old, fresh, other, named]) writeFileSync(draft, "half");
  utimesSync(old, 0, 0);
  writeDurably(path, "whole");
  expect([dead, journal, old, fresh, other, named].map((draft) => existsSync(draft))).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("the name of a draft cannot be guessed, and a draft is never written through a link", () => {
  const path = join(folder, "file");
  const drafts = [1, 2].map(() => withDraft(path, (draft) => draft));
  expect(new Set(drafts).size).toBe(2);
  // Two numbers of a counter have the same beginning, two random ones do not.
  const beginnings = drafts.map((draft) => /-([0-9a-f]{8})[0-9a-f]{8}$/u.exec(draft)?.[1]);
  expect(beginnings).toEqual([expect.any(String), expect.any(String)]);
  expect(new Set(beginnings).size).toBe(2);
  const draft = join(folder, "prepared");
  writeFileSync(join(folder, "of the user"), "old");
  symlinkSync(join(folder, "of the user"), draft);
  expect(() => writeDraft(draft, Buffer.from("new"))).toThrow("EEXIST");
  expect(readFileSync(join(folder, "of the user"), "utf8")).toBe("old");
});

test("a write that fails leaves the file as it was, and no draft", () => {
  const path = join(folder, "file");
  writeDurably(join(path, "inside"), "a folder is in the way");
  expect(() => writeDurably(path, "text")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/u);
  expect(readdirSync(folder)).toEqual(["file"]);
});

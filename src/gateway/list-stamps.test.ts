/** The stamps that show whether a list of sessions is still as it was read. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ListedSession } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { changedPaths, type ListStamps, pathsOfList, readListStamps } from "./list-stamps.ts";

const WRITTEN_MS = 1_000_000;
const LATER_MS: number = WRITTEN_MS + 3_600_000;

/** Each path has a size; the times and the inode are equal. */
function stamps(names: readonly string[], sizes: readonly number[]): ListStamps {
  return { names, numbers: new Float64Array(sizes.flatMap((size) => [size, WRITTEN_MS, WRITTEN_MS, 7])) };
}

test("a list needs a new read if a place appeared, went or has another name, and otherwise only its changed paths", () => {
  const before = stamps(["place"], [1, 10, 20]);
  const changed = (now: ListStamps, beganMs = LATER_MS) =>
    changedPaths(["/first", "/second"], [before, now], beganMs);
  expect(changed(before)).toEqual([]);
  expect(changed(stamps(["place"], [1, 10, 21]))).toEqual(["/second"]);
  expect(changed(stamps(["place"], [2, 11, 20]))).toEqual(["place", "/first"]);
  expect(changed(stamps(["place", "new"], [1, 1, 10, 20]))).toBeNull();
  expect(changed(stamps([], [10, 20]))).toBeNull();
  expect(changed(stamps(["other"], [1, 10, 20]))).toBeNull();
  // A later change may have the same time as this one.
  expect(changed(before, WRITTEN_MS)).toEqual(["place", "/first", "/second"]);
});

test("a file that got an earlier time of writing just before the list is read again with it", () => {
  const numbers = new Float64Array([1, WRITTEN_MS, LATER_MS, 7]);
  const before = { names: [], numbers };
  expect(changedPaths(["/first"], [before, before], LATER_MS)).toEqual(["/first"]);
  expect(changedPaths(["/first"], [before, before], 2 * LATER_MS)).toEqual([]);
});

const listed = (location: string, more: object = {}): ListedSession =>
  ({ location, ...more }) as unknown as ListedSession;

test("the paths of a list are the store, the file of each session with its folders, and each database with its log", () => {
  const places = { home: "/h", cwd: "/h", env: {} };
  const rows = [
    listed("/h/.codex/sessions/2026/03/01/r.jsonl"),
    listed("/h/share/opencode.db#ses_1"),
    listed("/h/.continuo/continuo.db#own", {
      nativeRefs: [{ location: "/c/p/s.jsonl" }, { location: null }],
    }),
    listed("told:by-its-agent"),
  ];
  expect(pathsOfList(rows, places)?.toSorted()).toEqual(
    [
      "/h/.continuo/continuo.db",
      "/h/.continuo/continuo.db-wal",
      "/h/.codex/sessions/2026/03/01/r.jsonl",
      "/h/.codex/sessions/2026/03/01",
      "/h/.codex/sessions/2026/03",
      "/h/.codex/sessions/2026",
      "/h/share/opencode.db#ses_1",
      "/h/share/opencode.db",
      "/h/share/opencode.db-wal",
      "/h/.continuo/continuo.db#own",
      "/c/p/s.jsonl",
      "/c/p",
      "/c",
      "/",
    ].toSorted(),
  );
  expect(pathsOfList(rows, { ...places, env: { CONTINUO_STORE: "postgres://host/db" } })).toBeNull();
});

test("a list looks at what stands next to the folders of sessions and in Continuo's home, not at what lists write", async () => {
  const home = scratchFolder("list-stamps");
  const places = { home, cwd: home, env: {} };
  const write = (...parts: readonly string[]): string => {
    const path = join(home, ...parts);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x");
    return path;
  };
  const seen = [
    write(".claude/history.jsonl"),
    write(".codex/session_index.jsonl"),
    write(".continuo/marks.json"),
    write(".continuo/index.json"),
  ];
  const unseen = [write(".continuo/index.db"), write(".continuo/index.db-wal"), write(".continuo/cache/x")];
  const { names } = await readListStamps([], places);
  expect(names).toEqual(expect.arrayContaining([...seen, join(home, ".claude/projects")]));
  expect(names.filter((name) => [...unseen, dirname(unseen[2] ?? "")].includes(name))).toEqual([]);
});

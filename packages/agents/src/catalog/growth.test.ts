import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { statFile } from "@continuo/files";
import type { FoundSession, SavedScan } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { scanToContinue, toGrowingFile } from "./growth.ts";

const SCAN = { position: 7 } as unknown as SavedScan;

/** A session of two files, the last of which is the one that grows. */
function sessionOf(paths: readonly string[]): FoundSession {
  return { files: paths.flatMap((path) => statFile(path) ?? []) } as unknown as FoundSession;
}

test("a scan continues unless the last file of a session became shorter, or another one changed", () => {
  const folder = scratchFolder("growth");
  const paths = [join(folder, "meta.json"), join(folder, "talk.jsonl")] as const;
  writeFileSync(paths[0], "{}");
  writeFileSync(paths[1], "one\n");
  const before = toGrowingFile(sessionOf(paths), Date.now()).toKept(SCAN);
  const next = (): SavedScan | null =>
    scanToContinue(
      { scan: before, beside: {} } as never,
      toGrowingFile(sessionOf(paths), Date.now()),
      () => "",
    );
  expect(next()).toBe(SCAN);
  appendFileSync(paths[1], "two\n");
  expect(next()).toBe(SCAN);
  truncateSync(paths[1], 3);
  expect(next()).toBeNull();
  writeFileSync(paths[1], "one\n");
  expect(next()).toBe(SCAN);
  writeFileSync(paths[0], '{"title":"Tea"}');
  expect(next()).toBeNull();
});

test("a scan continues neither in a file that replaced the one it read, nor after a file next to it changed", () => {
  const path = join(scratchFolder("growth"), "talk.jsonl");
  writeFileSync(path, "one\n");
  const before = toGrowingFile(sessionOf([path]), Date.now()).toKept(SCAN);
  const next = (beside: object = {}): SavedScan | null =>
    scanToContinue(
      { scan: before, beside } as never,
      toGrowingFile(sessionOf([path]), Date.now()),
      () => "now",
    );
  expect([next({ titles: "now" }), next({ titles: "before" })]).toEqual([SCAN, null]);
  writeFileSync(`${path}.new`, "one\ntwo\n");
  renameSync(`${path}.new`, path);
  expect(next()).toBeNull();
});

test("a file that was written a moment ago may change again unseen, so its scan is not kept", () => {
  const path = join(scratchFolder("growth"), "talk.jsonl");
  writeFileSync(path, "one\n");
  const now = Date.now();
  expect(toGrowingFile(sessionOf([path]), now).isUnchanged()).toBe(false);
  const later = toGrowingFile(sessionOf([path]), now + 10_000);
  expect(later.isUnchanged()).toBe(true);
  appendFileSync(path, "two\n");
  expect(later.isUnchanged()).toBe(false);
});

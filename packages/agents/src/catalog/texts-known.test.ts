import type { FoundFile } from "@continuo/files";
import type { FoundBatch, FoundSession, KnownFiles } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { KnownText } from "./texts-known.ts";
import { subagentsInside } from "./texts-native.ts";

const AT = Date.parse("2026-01-01T00:00:00.000Z");
const FILE = { path: "/s/a.jsonl", sizeBytes: 9, mtimeMs: AT, ctimeMs: AT, inode: 7 } as unknown as FoundFile;

function stampAt(nowMs: number, archived = false): string | null {
  const files = { pathAt: () => FILE.path, fileAt: () => FILE } as unknown as KnownFiles;
  const batch = { isArchived: () => archived } as unknown as FoundBatch;
  const toSource = (): never => {
    throw new Error("its source is not needed");
  };
  const options = { files, nowMs, rules: "", besideNow: () => "", titleOf: null, toSource };
  return new KnownText(0, batch, options).stamp;
}

test("a known session that changed a moment ago has no stamp, because it may change again unseen", () => {
  expect(stampAt(AT + 1)).toBeNull();
  expect(stampAt(AT + 3_600_000)).not.toBeNull();
});

test("a session that was archived since is read again", () => {
  expect(stampAt(AT + 3_600_000, true)).not.toBe(stampAt(AT + 3_600_000));
});

test("a sub-agent inside the file of a session is one of that session", () => {
  const found = {
    agent: "claude",
    sessionId: "a",
    location: FILE.path,
    files: [FILE],
  } as unknown as FoundSession;
  const inside = [{ id: "sub", location: `${FILE.path}#sub` }];
  expect(subagentsInside(found, { inside } as unknown as Parameters<typeof subagentsInside>[1])).toEqual([
    { ...found, sessionId: "sub", location: `${FILE.path}#sub`, parentId: "a" },
  ]);
});

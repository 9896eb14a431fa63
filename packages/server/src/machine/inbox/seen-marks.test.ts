import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJsonFile } from "@continuo/files";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { INBOX_LIMITS } from "./limits.ts";
import { openSeenFile, type SeenFile } from "./seen-marks.ts";

const START = "2026-01-01T00:00:00.000Z";

function openFile(): { readonly file: SeenFile; readonly path: string } {
  const home = scratchFolder("seen");
  const folder = join(home, ".continuo");
  return {
    file: openSeenFile({ home, env: { CONTINUO_HOME: folder } }, START),
    path: join(folder, "seen.json"),
  };
}

/** The time of a session, some seconds after the start. */
function timeAt(seconds: number): string {
  return new Date(Date.parse(START) + seconds * 1000).toISOString();
}

test("beyond the limit, the oldest marks become one time before which everything is seen", () => {
  const { file, path } = openFile();
  const count = INBOX_LIMITS.marks + 2;
  file.see(new Map(Array.from({ length: count }, (_, at) => [`claude:${at}`, timeAt(at + 1)])));
  const { since, marks } = readJsonFile(path) as Record<string, object>;
  expect([since, Object.keys(marks ?? {}).length]).toEqual([timeAt(2), INBOX_LIMITS.marks]);
  const seen = file.read();
  for (const at of [0, 1, 2, count - 1]) expect(seen.has(`claude:${at}`, timeAt(at + 1))).toBe(true);
  expect(seen.has("claude:other", timeAt(3))).toBe(false);
});

test("a mark covers the session as it was, and no later change", () => {
  const { file } = openFile();
  file.see(new Map([["claude:a", timeAt(5)]]));
  const seen = file.read();
  expect([timeAt(5), timeAt(4), timeAt(6)].map((at) => seen.has("claude:a", at))).toEqual([
    true,
    true,
    false,
  ]);
  expect(seen.has("constructor", timeAt(5))).toBe(false);
});

test("marks that a later time covers are dropped, and an earlier time changes nothing", () => {
  const { file, path } = openFile();
  file.see(
    new Map([
      ["claude:a", timeAt(5)],
      ["claude:b", timeAt(9)],
    ]),
  );
  file.seeAll(timeAt(7));
  file.seeAll(timeAt(6));
  const looks = readJsonFile(path);
  expect(looks).toMatchObject({ since: timeAt(7), marks: { "claude:b": timeAt(9) } });
  expect(Object.keys((looks as { marks: object }).marks)).toEqual(["claude:b"]);
});

test("a new mark keeps the earlier ones", () => {
  const { file } = openFile();
  file.see(new Map([["claude:a", timeAt(5)]]));
  file.see(new Map([["claude:b", timeAt(6)]]));
  const seen = file.read();
  expect([seen.has("claude:a", timeAt(5)), seen.has("claude:b", timeAt(6))]).toEqual([true, true]);
});

test("an earlier look at a session does not make its later state unseen, and keys of a later version stay", () => {
  const { file, path } = openFile();
  file.see(new Map([["claude:a", timeAt(9)]]));
  writeFileSync(path, JSON.stringify({ ...(readJsonFile(path) as object), later: { a: 1 } }));
  file.see(
    new Map([
      ["claude:a", timeAt(5)],
      ["claude:b", timeAt(6)],
    ]),
  );
  const seen = file.read();
  expect([seen.has("claude:a", timeAt(9)), seen.has("claude:b", timeAt(6))]).toEqual([true, true]);
  expect(readJsonFile(path)).toMatchObject({ later: { a: 1 } });
});

test("without a file, or with one that cannot be read, everything before this process is seen", () => {
  const { file, path } = openFile();
  const states = () => [null, START, timeAt(1)].map((at) => file.read().has("claude:a", at));
  expect(states()).toEqual([true, true, false]);
  file.see(new Map([["claude:a", timeAt(1)]]));
  writeFileSync(path, "no record");
  expect(states()).toEqual([true, true, false]);
});

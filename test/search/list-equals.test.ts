import { copyFileSync, rmSync } from "node:fs";
import type { Places } from "@continuo/agents";
import { findNativeSessions, type ListOptions, type NativeList, readNativeList } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import type { FoundSession, SavedSkimMemo } from "@continuo/native/kit";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { copyBeside, editFile, fileOrFolderEdit, filesOf, setTimes } from "./file-edits.ts";

let scratch: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("list");
  places = copyEveryCase(scratch, 2);
});

/** A time long after every write, so that all results are stored. */
const LATER = Date.now() + 86_400_000;

/** Returns a list with sorted ids, because they have no order. */
async function listed(options: ListOptions): Promise<NativeList> {
  const list = await readNativeList(options);
  return { ...list, metIds: [...list.metIds].sort() };
}

/** The sessions and sub-agents of a search. */
async function found(memo?: SavedSkimMemo): Promise<readonly FoundSession[]> {
  const options = { places, subagents: "include" } as const;
  const all = await Array.fromAsync(findNativeSessions(memo === undefined ? options : { ...options, memo }));
  return all.toSorted((a, b) => (a.location < b.location ? -1 : 1));
}

test("a list and a look at all sessions with the index equal those without it, whatever is done to the files", async () => {
  const step = fc.record({
    edit: fileOrFolderEdit,
    archived: fc.constantFrom("include", "exclude"),
    limit: fc.constantFrom(undefined, 3, 1),
    // The clock can be set back, and become right again.
    nowMs: fc.constantFrom(LATER, LATER, Date.now(), 1_600_000_000_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10, size: "max" }), async (steps) => {
      rmSync(scratch, { recursive: true });
      places = copyEveryCase(scratch, 2);
      setTimes(scratch);
      await readNativeList({ places, memo: openRows(indexPathOf(places), LATER) });
      await readNativeList({ places, memo: openRows(indexPathOf(places), LATER), limit: 1 });
      for (const { edit, archived, limit, nowMs } of steps) {
        editFile(edit, { scratch, places });
        const options = { places, archived, ...(limit === undefined ? {} : { limit }) };
        const memo = openRows(indexPathOf(places), nowMs);
        expect(await listed({ ...options, memo })).toEqual(await listed(options));
        expect(await found(openRows(indexPathOf(places), nowMs))).toEqual(await found());
      }
    }),
    { numRuns: rounds(40) },
  );
}, 600_000);

test("several files of one session are listed as without the index, also if the index knows each of them", async () => {
  const sessions = filesOf(scratch).filter((path) => /[0-9a-f]{4}\.jsonl$/u.test(path));
  expect(sessions.length).toBeGreaterThan(6);
  const known = async (): Promise<NativeList> => {
    return await listed({ places, limit: 3, memo: openRows(indexPathOf(places), LATER) });
  };
  await known();
  for (const path of sessions) copyBeside(path);
  const expected = await listed({ places, limit: 3 });
  for (let lists = 0; lists < 3; lists++) expect(await known()).toEqual(expected);
});

test("sub-agents next to sessions that the index knows are found as without it", async () => {
  places = copyEveryCase(scratch);
  // A list of the newest sessions keeps the stored lines.
  await readNativeList({ places, memo: openRows(indexPathOf(places), LATER), limit: 1 });
  const withoutIndex = await found();
  const agents = withoutIndex.filter(({ parentId }) => parentId !== undefined).map(({ agent }) => agent);
  expect([...new Set(agents)].sort()).toEqual(["claude", "codex", "gemini"]);
  expect(await found(openRows(indexPathOf(places), LATER))).toEqual(withoutIndex);
});

test("of sessions of the same time, a list with the index shows those that one without it shows, at every limit", async () => {
  for (const path of filesOf(scratch)) {
    for (const end of ["0bad", "0bae", "0baf"])
      if (path.endsWith(".jsonl")) copyFileSync(path, path.replace(/[0-9a-f]{4}(?=\.jsonl$)/u, end));
  }
  const all = await readNativeList({ places });
  const times = all.sessions.map(({ updatedAt }) => updatedAt);
  expect(times.length - new Set(times).size).toBeGreaterThan(5);
  const memo = (): SavedSkimMemo => openRows(indexPathOf(places), LATER);
  await listed({ places, limit: 1, memo: memo() });
  for (let limit = 0; limit <= all.total + 1; limit++) {
    expect(await listed({ places, limit, memo: memo() })).toEqual(await listed({ places, limit }));
  }
});

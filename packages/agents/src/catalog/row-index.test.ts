import { findNativeSessions } from "@continuo/native";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { openRowIndex } from "./row-index.ts";

// An hour later: nothing is kept of files that were written a moment ago.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 }));
afterEach(() => void vi.useRealTimers());

test("each session of one database has its own facts and tokens, also when they come from the index", async () => {
  const { places } = await copyHome(scratchFolder("row-index"), ["opencode", "fork"]);
  const found = await Array.fromAsync(findNativeSessions({ agents: ["opencode"], places }));
  expect(found.length).toBeGreaterThan(1);
  const first = openRowIndex(places);
  const read = [];
  for (const one of found) read.push(await first.read(one));
  await first.save();
  expect(new Set(read.map((one) => JSON.stringify(one))).size).toBe(found.length);
  const second = openRowIndex(places);
  await second.expect(found);
  expect(await Promise.all(found.map((one) => second.known(one)))).toEqual(read);
});

import type { ListedSession } from "@continuo/agents/catalog";
import type { SessionHead } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { createKnownFacts } from "./known-facts.ts";

const NOW_MS = Date.now();
const HOUR_MS = 3_600_000;

let places: PlacesAt;
let rows: readonly ListedSession[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  const scratch = scratchFolder("known-facts");
  const copied = await copyHome(scratch, ["opencode", "fork"]);
  places = { ...copied.places, cwd: scratch };
  // Facts of short sessions are not kept, because reading these sessions again is fast.
  rows = copied.sessions.map((row) => ({ ...row, sizeBytes: 1e9 }) as unknown as ListedSession);
});
afterEach(() => void vi.useRealTimers());

function headOf({ sessionId }: ListedSession): SessionHead {
  return { title: `the head of ${sessionId}` } as unknown as SessionHead;
}

async function keepAll(facts = createKnownFacts(places)): Promise<void> {
  for (const row of rows) facts.keep(row, { head: headOf(row) });
  await facts.settled();
}

const knownHeads = async (): Promise<readonly unknown[]> =>
  await Promise.all(rows.map(async (row) => (await createKnownFacts(places).of(row)).head));

test("each session of one database has its own kept facts, which the next server reads", async () => {
  vi.setSystemTime(NOW_MS + HOUR_MS);
  await keepAll();
  expect(rows.length).toBeGreaterThan(1);
  expect(await knownHeads()).toEqual(rows.map(headOf));
});

test("nothing is kept about a file that was written a moment ago, because it may still change unseen", async () => {
  await keepAll();
  vi.setSystemTime(NOW_MS + HOUR_MS);
  expect(await knownHeads()).toEqual(rows.map(() => null));
});

test("facts that were not kept a moment after a write are kept when they are read again later", async () => {
  const facts = createKnownFacts(places);
  await keepAll(facts);
  vi.setSystemTime(NOW_MS + HOUR_MS);
  await keepAll(facts);
  expect(await knownHeads()).toEqual(rows.map(headOf));
});

import { type LookUpHit, lookUp, shippedPrices } from "@continuo/agents/catalog";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import type { PlacesAt } from "@continuo/files";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CLAUDE_ID, createHome, writeSessions } from "../../../../../test/cli/home.ts";
import { createHistories, type HistoryRequest, nameOf } from "./histories.ts";

let places: PlacesAt;
let hit: LookUpHit;
beforeEach(async () => {
  const home = createHome();
  writeSessions(home);
  places = { home: home.path, cwd: home.path, env: {} };
  hit = (await lookUp(`claude:${CLAUDE_ID}`, {
    places,
    store: null,
    examples: "without examples",
  })) as LookUpHit;
});

afterEach(() => void vi.restoreAllMocks());

/** The same session under many keys: each key has a separate history. */
function requestOf(key: string, located: Promise<LookUpHit> = Promise.resolve(hit)): HistoryRequest {
  const prices = { own: {}, list: shippedPrices() };
  return { key, view: "history", places, prices, locate: () => located };
}

test("a history that is being read is not dropped, although many others were read since then", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const slow = Promise.withResolvers<LookUpHit>();
  const first = histories.withWhole(requestOf("slow", slow.promise), signal, ({ kept }) => kept.length);
  for (let n = 0; n <= HISTORY_LIMITS.keptSessions; n++) {
    await histories.withWhole(requestOf(`k${n}`), signal, () => undefined);
  }
  expect([histories.holds(requestOf("slow")), histories.holds(requestOf("k0"))]).toEqual([true, false]);
  slow.resolve(hit);
  expect(await first).toBeGreaterThan(0);
  histories.close();
});

test("reading ends when nobody waits for it", async () => {
  const histories = createHistories();
  const slow = Promise.withResolvers<LookUpHit>();
  const callers = [new AbortController(), new AbortController()];
  const answers = callers.map(({ signal }) =>
    histories.withWhole(requestOf("slow", slow.promise), signal, () => undefined).catch(() => "left"),
  );
  callers[0]?.abort();
  expect(histories.holds(requestOf("slow"))).toBe(true);
  callers[1]?.abort();
  expect(histories.holds(requestOf("slow"))).toBe(false);
  slow.resolve(hit);
  await Promise.all(answers);
  histories.close();
});

test("a session, a view of it and a branch of it are separate histories", () => {
  const names = [{}, { view: "model" as const }, { branch: "b" }].map((more) =>
    nameOf({ key: "k", view: "history", ...more }),
  );
  expect(new Set(names).size).toBe(3);
});

test("of many histories the one that nobody used for the longest time leaves first", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const use = async (n: number): Promise<void> =>
    await histories.withWhole(requestOf(`k${n}`), signal, () => undefined);
  for (let n = 0; n < HISTORY_LIMITS.keptSessions; n++) await use(n);
  await use(0);
  await use(HISTORY_LIMITS.keptSessions);
  expect([0, 1, 2].map((n) => histories.holds(requestOf(`k${n}`)))).toEqual([true, false, true]);
  histories.close();
});

test("a history that could not be read is read again for the next caller", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const failed = histories.withWhole(
    requestOf("k", Promise.reject(new Error("the disk is away"))),
    signal,
    () => 0,
  );
  await expect(failed).rejects.toThrow("the disk is away");
  expect(await histories.withWhole(requestOf("k"), signal, ({ kept }) => kept.length)).toBeGreaterThan(0);
  histories.close();
});

test("the end of a session is no end of its model view, nor of one of its branches", async () => {
  const histories = createHistories();
  const missing = (): Promise<LookUpHit> => Promise.reject(new Error("the session was looked for"));
  const asked = { ...requestOf("k"), locate: missing };
  expect(await histories.tip({ ...asked, view: "model" })).toBeNull();
  expect(await histories.tip({ ...asked, branch: "b" })).toBeNull();
  await expect(histories.tip(asked)).rejects.toThrow("the session was looked for");
  histories.close();
});

/** The session, and the files that were looked at again; `there` is the session that the file has then. */
function watched(there: (found: object) => object): {
  readonly native: LookUpHit;
  readonly looked: string[];
} {
  if (hit.kind !== "native") throw new Error("the session is one of an agent");
  const looked: string[] = [];
  const { reader, found } = hit.native;
  const recognise = async (location: string) => {
    looked.push(location);
    return there(found);
  };
  const native = { ...hit.native, reader: { ...reader, recognise, open: reader.open.bind(reader) } };
  return { native: { ...hit, native } as unknown as LookUpHit, looked };
}

/** Returns a function that lets the time pass after which a history is looked at again. */
function passTime(): () => void {
  let passedMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  return () => {
    passedMs += HISTORY_LIMITS.followMs + 1;
  };
}

test("the file of a session that does not change is looked for again now and then", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const { native, looked } = watched((found) => found);
  const pass = passTime();
  const use = async (): Promise<void> => {
    await histories.withWhole(requestOf("k", Promise.resolve(native)), signal, () => undefined);
    pass();
  };
  for (let looks = 0; looks < 20; looks++) await use();
  expect(looked).toEqual([]);
  await use();
  expect(looked).toHaveLength(1);
  histories.close();
});

test("a session whose file has another session now is located again", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const { native } = watched((found) => ({ ...found, sessionId: "another" }));
  let located = 0;
  const asked = {
    ...requestOf("k"),
    locate: async () => {
      located += 1;
      return located === 1 ? native : hit;
    },
  };
  const pass = passTime();
  const use = async (): Promise<void> => {
    await histories.withWhole(asked, signal, () => undefined);
    pass();
  };
  for (let looks = 0; looks <= 20; looks++) await use();
  expect(located).toBe(2);
  histories.close();
});

test("histories are released when the server closes", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const kept = await histories.withWhole(requestOf("k"), signal, (whole) => whole.kept);
  const release = vi.spyOn(kept, Symbol.dispose as never);
  histories.close();
  expect(release).toHaveBeenCalledOnce();
});

/** Long work on a store lets other work run. The tests count the work between two turns of the event loop. */

import type { NewEvent } from "@continuo/core/model";
import { LIMITS, openStore, verifyStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { OpenedStore } from "../../packages/store/src/store/sql-store.ts";
import { countWork } from "./harness/turns.ts";

/** Two turns, each with the statement that exceeds its limit, because the count may begin in the middle of a turn. */
const MOST = 3 * LIMITS.turnWork;
const EVENTS = 8_000;

let store: OpenedStore;
beforeAll(async () => {
  store = await openStore("memory:");
  await store.createLog({ logId: "long" });
  const event = (n: number): NewEvent => ({ type: n % 2 === 0 ? "even" : "odd", data: { n } });
  for (let at = 1; at <= EVENTS; at += 1_000)
    await store.append(
      "long",
      Array.from({ length: 1_000 }, (_, n) => event(at + n)),
    );
  await Promise.all(Array.from({ length: 1_200 }, (_, n) => store.createLog({ logId: `list/${n}` })));
});
afterAll(() => store.close());

async function tailed(): Promise<number> {
  let count = 0;
  for await (const _ of store.tail("long")) if (++count === EVENTS) break;
  return count;
}

async function pagesOfTwo(): Promise<number> {
  let count = 0;
  for (let after: number | null = 0; after !== null && count < 2_000; count += 2)
    after = (await store.read("long", { after, limit: 2 })).nextAfter;
  return count;
}

const WORK: Readonly<Record<string, { readonly run: () => Promise<unknown>; readonly result: unknown }>> = {
  "a read of many events": {
    run: async () => (await store.read("long", { limit: 10_000 })).events.length,
    result: EVENTS,
  },
  "a read of the newest events": {
    run: async () => (await store.read("long", { limit: 5_000, order: "newest" })).events[0]?.sequence,
    result: EVENTS - 4_999,
  },
  "a read of a type that no event has": {
    run: async () => (await store.read("long", { types: ["none"] })).events,
    result: [],
  },
  "a read of a text that one event has": {
    run: async () =>
      (await store.read("long", { texts: ['"n":5999'] })).events.map(({ sequence }) => sequence),
    result: [5_999],
  },
  "a count of a type": { run: () => store.countEvents("long", { types: ["odd"] }), result: EVENTS / 2 },
  "a page of 1,000 logs": {
    run: async () => (await store.listLogs({ prefix: "list/", limit: 1_000 })).items.length,
    result: 1_000,
  },
  "a tail": { run: tailed, result: EVENTS },
  "a loop of small reads": { run: pagesOfTwo, result: 2_000 },
  "many reads that are called at the same time": {
    run: async () => {
      const reads = Array.from({ length: 20 }, () => store.read("long", { limit: 200 }));
      return (await Promise.all(reads)).map(({ events }) => events.length);
    },
    result: Array(20).fill(200),
  },
};

test.each(Object.entries(WORK))("%s lets other work run", async (_, { run, result }) => {
  let value: unknown;
  const { most, total } = await countWork(async () => {
    value = await run();
  });
  expect(value).toEqual(result);
  expect(total).toBeGreaterThan(MOST);
  expect(most).toBeLessThanOrEqual(MOST);
});

test("an append that stores a long snapshot only writes its JSON, and does not read or sort it", async () => {
  const data = { z: Array.from({ length: 1_000 }, (_, n) => ({ z: n, a: "note" })), a: 1 };
  const parse = vi.spyOn(JSON, "parse");
  const stringify = vi.spyOn(JSON, "stringify");
  let texts: readonly number[];
  try {
    const also = [{ type: "snapshot" as const, name: "state", data, sequence: EVENTS }];
    await store.append("long", [], { also });
    // At the same time, other work of the process (messages of the test runner) makes short texts.
    const long = (text: unknown): boolean => String(text).length > 1_000;
    texts = [
      parse.mock.calls.filter(([text]) => long(text)).length,
      stringify.mock.results.filter(({ value }) => long(value)).length,
    ];
  } finally {
    parse.mockRestore();
    stringify.mockRestore();
  }
  expect(texts).toEqual([0, 1]);
  const stored = await store.getLatestSnapshot({ logId: "long", name: "state" });
  expect(stored?.data).toEqual(data);
});

test("a verification of many short logs does 8 of them in a turn", async () => {
  const many = await openStore("memory:");
  await Promise.all(Array.from({ length: 200 }, (_, n) => many.createLog({ logId: `log ${n}` })));
  let [count, inTurn, most] = [0, 0, 0];
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  for await (const { ok } of verifyStore(many)) {
    if (ok) count++;
    most = Math.max(most, ++inTurn);
  }
  clearImmediate(turn);
  await many.close();
  expect(count).toBe(200);
  expect(most).toBeLessThanOrEqual(8);
});

test("a read that waits for its turn finishes before the store is closed", async () => {
  const other = await openStore("memory:");
  await other.createLog({ logId: "log" });
  await other.append(
    "log",
    Array.from({ length: 2_000 }, (_, n) => ({ type: "x", data: n })),
  );
  const reads = Array.from({ length: 5 }, () => other.read("log", { limit: 2_000 }));
  await other.close();
  expect((await Promise.all(reads)).map(({ events }) => events.length)).toEqual(Array(5).fill(2_000));
});

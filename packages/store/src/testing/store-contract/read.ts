/** Reads: bounds, pages, filters. */

import assert from "node:assert/strict";
import { type ContractCase, newLog, numbered, rejects, sequencesOf, valuesOf } from "./case.ts";

export const readCases: readonly ContractCase[] = [
  {
    name: "read returns everything from the beginning, and reports that nothing is left",
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      const page = await store.read(logId);
      assert.deepEqual([sequencesOf(page.events), page.nextAfter], [[1, 2, 3, 4, 5], null]);
    },
  },
  {
    name: "after and before limit the sequences, both exclusive",
    run: async ({ store }) => {
      const logId = await newLog(store, 6);
      assert.deepEqual(sequencesOf((await store.read(logId, { after: 2 })).events), [3, 4, 5, 6]);
      assert.deepEqual(sequencesOf((await store.read(logId, { before: 3 })).events), [1, 2]);
      assert.deepEqual(sequencesOf((await store.read(logId, { after: 2, before: 5 })).events), [3, 4]);
      assert.deepEqual((await store.read(logId, { after: 6 })).events, []);
      assert.deepEqual((await store.read(logId, { after: 100 })).events, []);
    },
  },
  {
    name: "limit keeps the oldest events, and nextAfter continues after them",
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      const first = await store.read(logId, { limit: 2 });
      assert.deepEqual([sequencesOf(first.events), first.nextAfter], [[1, 2], 2]);
      const second = await store.read(logId, { limit: 2, after: first.nextAfter ?? 0 });
      assert.deepEqual([sequencesOf(second.events), second.nextAfter], [[3, 4], 4]);
      const last = await store.read(logId, { limit: 2, after: 4 });
      assert.deepEqual([sequencesOf(last.events), last.nextAfter], [[5], null]);
    },
  },
  {
    name: "order newest keeps the newest, still in order of sequence",
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      const page = await store.read(logId, { limit: 2, order: "newest" });
      assert.deepEqual([sequencesOf(page.events), page.nextAfter], [[4, 5], 4]);
      const older = await store.read(logId, { limit: 3, order: "newest", before: page.nextAfter ?? 0 });
      assert.deepEqual([sequencesOf(older.events), older.nextAfter], [[1, 2, 3], null]);
    },
  },
  {
    name: "types and runId choose events",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [
        { type: "a", data: 1 },
        { type: "b", data: 2, runId: "r1" },
        { type: "a", data: 3, runId: "r1" },
        { type: "c", data: 4, runId: "r2" },
      ]);
      const sequences = async (options: object): Promise<readonly number[]> =>
        sequencesOf((await store.read(logId, options)).events);
      assert.deepEqual(await sequences({ types: ["a"] }), [1, 3]);
      assert.deepEqual(await sequences({ types: ["a", "c"] }), [1, 3, 4]);
      assert.deepEqual(await sequences({ runId: "r1" }), [2, 3]);
      assert.deepEqual(await sequences({ runId: "r1", types: ["a"] }), [3]);
      assert.deepEqual(await sequences({ types: ["none"] }), []);
      assert.deepEqual(await sequences({ types: ["a"], limit: 1, order: "newest" }), [3]);
    },
  },
  {
    name: "id chooses one event",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(
        logId,
        ["b", "a", "c"].map((id) => ({ id, type: id === "a" ? "first" : "other", data: id })),
      );
      const sequences = async (options: object): Promise<readonly number[]> =>
        sequencesOf((await store.read(logId, options)).events);
      assert.deepEqual(await sequences({ id: "a" }), [2]);
      assert.deepEqual(await sequences({ id: "none" }), []);
      assert.deepEqual(await sequences({ id: "a", types: ["other"] }), []);
      assert.deepEqual(await sequences({ id: "c", order: "newest", limit: 1 }), [3]);
      assert.deepEqual(await sequences({ id: "a", after: 2 }), []);
      const { logId: fork } = await store.forkLog(logId, 2);
      const inFork = async (id: string) => sequencesOf((await store.read(fork, { id })).events);
      assert.deepEqual([await inFork("b"), await inFork("c")], [[1], []]);
      await rejects("invalid", store.read(logId, { id: "" }));
    },
  },
  {
    name: "texts chooses events whose payload contains one of them, as JSON",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const texts = ["@bot a", "@BOT b", 'né @böt "c"', "100%", "1000"];
      await store.append(
        logId,
        texts.map((content, n) => ({ type: n === 0 ? "first" : "other", data: { content } })),
      );
      const sequences = async (options: object): Promise<readonly number[]> =>
        sequencesOf((await store.read(logId, options)).events);
      assert.deepEqual(await sequences({ texts: ["@bot"] }), [1]);
      assert.deepEqual(await sequences({ texts: ["@böt"] }), [3]);
      assert.deepEqual(await sequences({ texts: ['\\"c\\"'] }), [3]);
      assert.deepEqual(await sequences({ texts: ["0%"] }), [4]);
      assert.deepEqual(await sequences({ texts: ["content"], types: ["other"], limit: 2 }), [2, 3]);
      assert.deepEqual(await sequences({ texts: ["100"], order: "newest", limit: 1 }), [5]);
      assert.deepEqual(await sequences({ texts: ["nowhere"] }), []);
      assert.deepEqual(await sequences({ texts: ["nowhere", "@b", "%"] }), [1, 3, 4]);
      await rejects("invalid", store.read(logId, { texts: [""] }));
      await rejects("too_large", store.read(logId, { texts: ["x".repeat(4_097)] }));
    },
  },
  {
    name: "maxBytes ends the page early, but always returns one event",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const data = { name: "n", value: "x".repeat(1_000) };
      await store.append(
        logId,
        Array.from({ length: 6 }, () => ({ type: "custom", data })),
      );
      const page = await store.read(logId, { maxBytes: 3_500 });
      assert.deepEqual([sequencesOf(page.events), page.nextAfter], [[1, 2, 3], 3]);
      const one = await store.read(logId, { maxBytes: 1, after: 3 });
      assert.deepEqual([sequencesOf(one.events), one.nextAfter], [[4], 4]);
      const newest = await store.read(logId, { maxBytes: 2_500, order: "newest" });
      assert.deepEqual([sequencesOf(newest.events), newest.nextAfter], [[5, 6], 5]);
      assert.equal((await store.read(logId, { maxBytes: 100_000 })).nextAfter, null);
    },
  },
  {
    name: "read refuses invalid options",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      for (const options of [{ after: -1 }, { before: 1.5 }, { limit: 0 }, { limit: 1e9 }, { maxBytes: 0 }]) {
        await rejects("invalid", store.read(logId, options));
      }
      await rejects("invalid", store.read(logId, { order: "random" as "newest" }));
    },
  },
  {
    name: "reading does not change the log",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const before = await store.getLog(logId);
      await store.read(logId);
      await store.latestSequence(logId);
      await store.verify(logId);
      assert.deepEqual(await store.getLog(logId), before);
    },
  },
  {
    name: "a log that is read during appends always returns a complete prefix",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const writing = (async () => {
        for (let n = 0; n < 30; n++) await store.append(logId, numbered(2, n * 2 + 1));
      })();
      for (let seen = 0; seen < 60; ) {
        const { events } = await store.read(logId);
        assert.deepEqual(valuesOf(events), sequencesOf(events));
        assert.equal(events.length % 2, 0);
        assert.ok(events.length >= seen);
        seen = events.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
    },
  },
];

/** Producers with epoch and sequence. */

import assert from "node:assert/strict";
import type { Store } from "@continuo/core/model";
import { type ContractCase, newLog, numbered, readAll, rejects, valuesOf } from "./case.ts";

function produce(store: Store, logId: string, epoch: number, sequence: number, producerId = "p") {
  const value = epoch * 100 + sequence;
  return store.append(logId, numbered(1, value), {
    also: [{ type: "producer", producerId, epoch, sequence }],
  });
}

export const producerCases: readonly ContractCase[] = [
  {
    name: "a producer's appends are accepted in the order of its numbers",
    run: async ({ store }) => {
      const logId = await newLog(store);
      for (const sequence of [0, 1, 2]) assert.equal((await produce(store, logId, 0, sequence)).length, 1);
      const { updatedAt: _, ...producer } = (await store.getProducer(logId, "p")) ?? {};
      assert.deepEqual(producer, { logId, producerId: "p", epoch: 0, sequence: 2 });
    },
  },
  {
    name: "a repeated append of a producer stores nothing and returns nothing",
    run: async ({ store }) => {
      const logId = await newLog(store);
      for (const sequence of [0, 1, 2]) await produce(store, logId, 0, sequence);
      for (const sequence of [2, 1, 0]) assert.deepEqual(await produce(store, logId, 0, sequence), []);
      assert.deepEqual(valuesOf(await readAll(store, logId)), [0, 1, 2]);
      assert.equal((await store.getProducer(logId, "p"))?.sequence, 2);
    },
  },
  {
    name: "a producer that skips a number receives the next expected number",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await rejects("sequence_gap", produce(store, logId, 0, 1));
      await produce(store, logId, 0, 0);
      const error = await rejects("sequence_gap", produce(store, logId, 0, 2));
      assert.deepEqual([error.details.expected, error.details.received], [1, 2]);
    },
  },
  {
    name: "a new epoch begins with 0 and fences the old one",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await produce(store, logId, 1, 0);
      await rejects("invalid", produce(store, logId, 2, 3));
      await produce(store, logId, 2, 0);
      const error = await rejects("fenced", produce(store, logId, 1, 1));
      assert.equal(error.details.epoch, 2);
      await rejects("fenced", produce(store, logId, 0, 0));
      assert.deepEqual(valuesOf(await readAll(store, logId)), [100, 200]);
    },
  },
  {
    name: "producers of one log are independent of each other",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await produce(store, logId, 0, 0, "a");
      await produce(store, logId, 5, 0, "b");
      await produce(store, logId, 0, 1, "a");
      assert.equal((await readAll(store, logId)).length, 3);
    },
  },
  {
    name: "invalid numbers of a producer are refused",
    run: async ({ store }) => {
      const logId = await newLog(store);
      for (const [epoch, sequence] of [
        [-1, 0],
        [0, -1],
        [0.5, 0],
        [0, Number.NaN],
      ] as const) {
        await rejects("invalid", produce(store, logId, epoch, sequence));
      }
      await rejects("invalid", produce(store, logId, 0, 0, ""));
    },
  },
  {
    name: "a producer can close the log, and the same append is still answered afterwards",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const also = [{ type: "producer", producerId: "p", epoch: 0, sequence: 0 }, { type: "close" }] as const;
      await store.append(logId, numbered(1), { also });
      assert.deepEqual(await store.append(logId, numbered(1, 9), { also }), []);
      assert.deepEqual(await store.append(logId, [], { also }), []);
      await rejects("log_closed", produce(store, logId, 0, 1));
      await rejects("log_closed", produce(store, logId, 0, 0, "q"));
    },
  },
  {
    name: "a producer of an old epoch is fenced before it learns that the log is closed",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await produce(store, logId, 1, 0);
      await store.closeLog(logId);
      await rejects("fenced", produce(store, logId, 0, 0));
    },
  },
  {
    name: "a producer can close the log without a record",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const also = [{ type: "producer", producerId: "p", epoch: 0, sequence: 0 }, { type: "close" }] as const;
      assert.deepEqual(await store.append(logId, [], { also }), []);
      assert.ok((await store.getLog(logId))?.closedAt !== undefined);
      assert.equal((await store.getProducer(logId, "p"))?.sequence, 0);
    },
  },
  {
    name: "a refused append does not move its producer",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const also = [{ type: "producer", producerId: "p", epoch: 0, sequence: 0 }] as const;
      await rejects("conflict", store.append(logId, numbered(1), { also, expectedSequence: 7 }));
      assert.equal(await store.getProducer(logId, "p"), null);
    },
  },
  {
    name: "many repetitions at the same time are stored once",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const results = await Promise.all(Array.from({ length: 8 }, () => produce(store, logId, 0, 0)));
      assert.equal(results.filter((events) => events.length === 1).length, 1);
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
];

/** Pruning, redaction and tombstones. */

import assert from "node:assert/strict";
import { type ContractCase, newLog, readAll, rejects, said, sequencesOf } from "./case.ts";

const CHUNK = { type: "message_streamed", data: { delta: "x", messageId: "m" } } as const;

export const retentionCases: readonly ContractCase[] = [
  {
    name: "prune removes the payloads of supplementary events only",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [said("a"), CHUNK, said("b"), CHUNK]);
      assert.deepEqual(await store.prune(logId, { reason: "old" }), { pruned: 2 });
      const events = await readAll(store, logId);
      assert.deepEqual(
        events.map((event) => event.data !== null),
        [true, false, true, false],
      );
      assert.deepEqual(await store.prune(logId, { reason: "old" }), { pruned: 0 });
    },
  },
  {
    name: "a tombstone keeps everything but the payload, and has the time and the reason",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [before] = await store.append(logId, [{ ...CHUNK, runId: "r" }]);
      await store.prune(logId, { reason: "too much" });
      const [after] = await readAll(store, logId);
      assert.ok(after?.pruned !== undefined);
      assert.equal(after.pruned.reason, "too much");
      assert.ok(Date.parse(after.pruned.at) >= Date.parse(after.recordedAt) - 1_000);
      assert.deepEqual(after, { ...before, data: null, pruned: after.pruned });
    },
  },
  {
    name: "prune chooses by sequence, by time and by type",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const plan = { type: "plan_updated", data: { entries: [] } };
      await store.append(logId, [CHUNK, plan, CHUNK, plan]);
      assert.deepEqual(await store.prune(logId, { reason: "r", olderThan: "2020-01-01T00:00:00Z" }), {
        pruned: 0,
      });
      assert.deepEqual(await store.prune(logId, { reason: "r", before: 3, types: ["plan_updated"] }), {
        pruned: 1,
      });
      const pruned = (await readAll(store, logId)).filter((event) => event.pruned !== undefined);
      assert.deepEqual(sequencesOf(pruned), [2]);
      assert.deepEqual(await store.prune(logId, { reason: "r", olderThan: "2999-01-01T00:00:00Z" }), {
        pruned: 3,
      });
    },
  },
  {
    name: "verify accepts tombstones and counts them",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [said("a"), CHUNK, CHUNK]);
      await store.prune(logId, { reason: "old" });
      assert.deepEqual(await store.verify(logId), { ok: true, checkedCount: 3, prunedCount: 2 });
    },
  },
  {
    name: "prune of many events removes all their payloads",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(
        logId,
        Array.from({ length: 2_500 }, () => CHUNK),
      );
      assert.deepEqual(await store.prune(logId, { reason: "old" }), { pruned: 2_500 });
      assert.equal((await store.verify(logId)).prunedCount, 2_500);
    },
  },
  {
    name: "redact removes one payload, whatever its retention",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [said("a"), said("secret"), said("b")]);
      const event = await store.redact(logId, 2, { reason: "private" });
      assert.deepEqual([event.data, event.pruned?.reason], [null, "private"]);
      const events = await readAll(store, logId);
      assert.deepEqual(events[1], event);
      assert.ok(!JSON.stringify(events).includes("secret"), "the payload is gone");
      assert.deepEqual(await store.verify(logId), { ok: true, checkedCount: 3, prunedCount: 1 });
    },
  },
  {
    name: "redact removes the salt",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [{ ...said("1234"), salt: "random" }]);
      const event = await store.redact(logId, 1, { reason: "pin" });
      assert.equal(event.salt, undefined);
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "redacting twice keeps the first tombstone",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const first = await store.redact(logId, 1, { reason: "one" });
      assert.deepEqual(await store.redact(logId, 1, { reason: "two" }), first);
    },
  },
  {
    name: "redact of a sequence that does not exist is out_of_range",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      for (const sequence of [0, 2])
        await rejects("out_of_range", store.redact(logId, sequence, { reason: "r" }));
    },
  },
  {
    name: "a pruned event still answers the same append",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [plain, salted] = [
        { ...said("a"), id: "e1" },
        { ...said("b"), id: "e2", salt: "random" } as const,
      ];
      await store.append(logId, [plain]);
      await store.append(logId, [salted]);
      const tombstones = [
        await store.redact(logId, 1, { reason: "r" }),
        await store.redact(logId, 2, { reason: "r" }),
      ];
      assert.deepEqual(await store.append(logId, [plain]), [tombstones[0]]);
      assert.deepEqual(await store.append(logId, [salted]), [tombstones[1]]);
      await rejects("conflict", store.append(logId, [{ ...plain, data: { content: "other" } }]));
    },
  },
  {
    name: "a fork sees the tombstones of its source, and cannot make them",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [said("a"), CHUNK]);
      const fork = await store.forkLog(logId, 2);
      assert.deepEqual(await store.prune(fork.logId, { reason: "r" }), { pruned: 0 });
      const error = await rejects("conflict", store.redact(fork.logId, 1, { reason: "r" }));
      assert.equal(error.details.logId, logId);
      await store.redact(logId, 1, { reason: "r" });
      assert.equal((await readAll(store, fork.logId))[0]?.data, null);
      assert.deepEqual(await store.verify(fork.logId), { ok: true, checkedCount: 2, prunedCount: 1 });
    },
  },
  {
    name: "an append after a prune continues the chain",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [CHUNK]);
      await store.prune(logId, { reason: "old" });
      await store.append(logId, [said("on")]);
      assert.deepEqual(await store.verify(logId), { ok: true, checkedCount: 2, prunedCount: 1 });
    },
  },
];

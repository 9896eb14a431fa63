/** An event id is an idempotency key within its log. */

import assert from "node:assert/strict";
import { type ContractCase, newLog, numbered, readAll, rejects, said } from "./case.ts";

const EVENT = { ...said("once"), id: "e1", actor: { kind: "person", id: "p" } } as const;

export const idempotencyCases: readonly ContractCase[] = [
  {
    name: "the same ids with the same content return what is stored, and store nothing",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const first = await store.append(logId, [EVENT]);
      assert.deepEqual(await store.append(logId, [EVENT]), first);
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
  {
    name: "a repeated batch returns all of its events in their order",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const batch = numbered(5).map((event, n) => ({ ...event, id: `e${n}` }));
      const first = await store.append(logId, batch);
      await store.append(logId, [said("between")]);
      assert.deepEqual(await store.append(logId, batch), first);
      assert.equal(await store.latestSequence(logId), 6);
    },
  },
  {
    name: "a repeated append is answered whatever sequence it expects",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const first = await store.append(logId, [EVENT], { expectedSequence: 0 });
      assert.deepEqual(await store.append(logId, [EVENT], { expectedSequence: 0 }), first);
      assert.deepEqual(await store.append(logId, [EVENT], { expectedSequence: 77 }), first);
    },
  },
  {
    name: "a repeated append is answered whatever lease it has",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const lease = await store.acquireLease("writer", { owner: "a" });
      const first = await store.append(logId, [EVENT], { lease });
      await store.releaseLease(lease);
      await store.acquireLease("writer", { owner: "b" });
      await rejects("fenced", store.append(logId, [said("new")], { lease }));
      assert.deepEqual(await store.append(logId, [EVENT], { lease }), first);
    },
  },
  {
    name: "a repeated append is answered even if the log is closed",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const first = await store.append(logId, [EVENT]);
      await store.closeLog(logId);
      assert.deepEqual(await store.append(logId, [EVENT]), first);
    },
  },
  {
    name: "a repeated append does not make its side writes again",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const also = [{ type: "snapshot", name: "s", data: 1 }] as const;
      await store.append(logId, [EVENT], { also });
      await store.deleteSnapshots({ logId });
      await store.append(logId, [EVENT], { also });
      assert.equal(await store.getLatestSnapshot({ logId, name: "s" }), null);
    },
  },
  {
    name: "an append of only new events names those that are stored, and stores nothing",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const next = { ...said("next"), id: "e2" };
      assert.equal((await store.append(logId, [EVENT], { onlyNew: true })).length, 1);
      const all = await rejects("conflict", store.append(logId, [EVENT], { onlyNew: true }));
      assert.deepEqual(all.details, { logId, storedIds: ["e1"] });
      const some = await rejects("conflict", store.append(logId, [next, EVENT], { onlyNew: true }));
      assert.deepEqual(some.details, { logId, storedIds: ["e1"] });
      assert.equal(await store.latestSequence(logId), 1);
      assert.equal((await store.append(logId, [next], { onlyNew: true }))[0]?.sequence, 2);
    },
  },
  {
    name: "of appends of only new events at the same time, one stores each event",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const append = (): Promise<unknown> => store.append(logId, [EVENT], { onlyNew: true });
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, append));
      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
  {
    name: "another time of occurrence or another run does not make another event",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const first = await store.append(logId, [EVENT]);
      const again = { ...EVENT, occurredAt: "2020-01-01T00:00:00Z", runId: "r", parentId: "p" };
      assert.deepEqual(await store.append(logId, [again]), first);
    },
  },
  {
    name: "keys in another order are the same payload",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const first = await store.append(logId, [
        { id: "e", type: "custom", data: { name: "n", value: { b: 1, a: 2 } } },
      ]);
      const again = [{ id: "e", type: "custom", data: { value: { a: 2, b: 1 }, name: "n" } }];
      assert.deepEqual(await store.append(logId, again), first);
    },
  },
  ...(
    [
      ["another payload", { ...EVENT, data: { content: "twice" } }],
      ["another type", { ...EVENT, type: "other" }],
      ["another actor", { ...EVENT, actor: { kind: "agent", id: "p" } }],
      ["another actor's id", { ...EVENT, actor: { kind: "person", id: "q" } }],
    ] as const
  ).map(
    ([what, changed]): ContractCase => ({
      name: `the same id with ${what} is a conflict`,
      run: async ({ store }) => {
        const logId = await newLog(store);
        await store.append(logId, [EVENT]);
        const error = await rejects("conflict", store.append(logId, [changed]));
        assert.deepEqual([error.details.id, error.details.sequence], ["e1", 1]);
        assert.equal(await store.latestSequence(logId), 1);
      },
    }),
  ),
  {
    name: "a batch of which only some ids are stored is a conflict, and stores nothing",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [EVENT]);
      await rejects("conflict", store.append(logId, [EVENT, { ...said("new"), id: "e2" }]));
      await rejects("conflict", store.append(logId, [said("without an id"), EVENT]));
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
  {
    name: "the same id twice in one append is refused",
    run: async ({ store }) => {
      await rejects("invalid", store.append(await newLog(store), [EVENT, EVENT]));
    },
  },
  {
    name: "the same id in another log is another event",
    run: async ({ store }) => {
      const [a, b] = [await newLog(store), await newLog(store)];
      await store.append(a, [EVENT]);
      const [event] = await store.append(b, [{ ...EVENT, data: { content: "other" } }]);
      assert.equal(event?.sequence, 1);
    },
  },
  {
    name: "a fork knows the ids of inherited events",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [first] = await store.append(logId, [EVENT]);
      const fork = await store.forkLog(logId, 1);
      assert.deepEqual(await store.append(fork.logId, [EVENT]), [{ ...first, logId: fork.logId }]);
      await rejects("conflict", store.append(fork.logId, [{ ...EVENT, data: { content: "other" } }]));
      assert.equal(await store.latestSequence(fork.logId), 1);
    },
  },
  {
    name: "a fork does not know the ids of later events of its source",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const fork = await store.forkLog(logId, 1);
      await store.append(logId, [EVENT]);
      const [event] = await store.append(fork.logId, [{ ...EVENT, data: { content: "mine" } }]);
      assert.equal(event?.sequence, 2);
    },
  },
  {
    name: "many repetitions of one append at the same time store it once",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const results = await Promise.all(Array.from({ length: 10 }, () => store.append(logId, [EVENT])));
      for (const result of results) assert.deepEqual(result, results[0]);
      assert.equal((await readAll(store, logId)).length, 1);
    },
  },
];

/** Tails return the backlog and then new events, without a gap or a duplicate. */

import assert from "node:assert/strict";
import type { Store, StoredEvent, TailOptions } from "@continuo/core/model";
import { type ContractCase, newLog, numbered, rejects, said, sequencesOf } from "./case.ts";

async function take(
  store: Store,
  logId: string,
  count: number,
  options: TailOptions = {},
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  if (count === 0) return events;
  for await (const event of store.tail(logId, options)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

const upTo = (count: number, from = 1): readonly number[] =>
  Array.from({ length: count }, (_, n) => from + n);

export const tailCases: readonly ContractCase[] = [
  {
    name: "tail returns the backlog, then new events, each once and in order",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const taking = take(store, logId, 8);
      await store.append(logId, numbered(2));
      for (let n = 0; n < 3; n++) await store.append(logId, numbered(1));
      assert.deepEqual(sequencesOf(await taking), upTo(8));
    },
  },
  {
    name: "tail after a sequence begins with the next one",
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      assert.deepEqual(sequencesOf(await take(store, logId, 2, { after: 3 })), [4, 5]);
    },
  },
  {
    name: 'tail after "latest" returns only new events',
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      const tail = store.tail(logId, { after: "latest" })[Symbol.asyncIterator]();
      let heard: number | undefined;
      const next = tail.next().then(({ value }) => {
        heard = (value as StoredEvent).sequence;
      });
      // The moment when it begins to listen is not visible, so it receives one of these.
      for (let sequence = 6; heard === undefined; sequence++) {
        await store.append(logId, [said(`new ${sequence}`)]);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await next;
      assert.ok(heard > 5);
      await tail.return?.();
    },
  },
  {
    name: "tail returns only the requested types",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [
        { type: "a", data: 1 },
        { type: "b", data: 2 },
      ]);
      const taking = take(store, logId, 2, { types: ["a"] });
      await store.append(logId, [{ type: "b", data: 3 }]);
      await store.append(logId, [{ type: "a", data: 4 }]);
      assert.deepEqual(sequencesOf(await taking), [1, 4]);
    },
  },
  {
    name: "tail ends after the last event of a closed log",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const all = (async () => {
        const events: StoredEvent[] = [];
        for await (const event of store.tail(logId)) events.push(event);
        return events;
      })();
      await store.append(logId, [said("bye")], { also: [{ type: "close" }] });
      assert.deepEqual(sequencesOf(await all), [1, 2, 3]);
    },
  },
  {
    name: "tail ends when its signal aborts, before, during and between events",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      assert.deepEqual(await take(store, logId, 9, { signal: AbortSignal.abort() }), []);
      const between = new AbortController();
      const seen: number[] = [];
      for await (const { sequence } of store.tail(logId, { signal: between.signal })) {
        seen.push(sequence);
        // The tail waits for a third event when this abort comes.
        if (sequence === 2) setTimeout(() => between.abort(), 20);
      }
      assert.deepEqual(seen, [1, 2]);
      const during = new AbortController();
      const events: StoredEvent[] = [];
      for await (const event of store.tail(logId, { signal: during.signal })) {
        events.push(event);
        during.abort();
      }
      assert.equal(events.length, 1);
    },
  },
  {
    name: "tail of a log that does not exist is not_found",
    run: async ({ store }) => {
      await rejects("not_found", take(store, "none", 1));
    },
  },
  {
    name: "tail fails when the log is deleted in the meantime",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const taking = take(store, logId, 2);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await Promise.all([rejects("not_found", taking), store.deleteLog(logId)]);
    },
  },
  {
    name: "tail fails when the log is deleted and created again under the same id",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: numbered(1) });
      const tail = store.tail("a")[Symbol.asyncIterator]();
      await tail.next();
      await store.deleteLog("a");
      await store.createLog({ logId: "a", events: numbered(3) });
      await rejects("not_found", tail.next());
    },
  },
  {
    name: "tail fails when the store is closed",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another();
      const logId = await newLog(store, 1);
      const taking = rejects("unavailable", take(other, logId, 2));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await other.close();
      await taking;
    },
  },
  {
    name: "several tails of one log each return everything",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const taking = Promise.all([0, 1, 2].map((after) => take(store, logId, 6 - after, { after })));
      for (let n = 0; n < 5; n++) await store.append(logId, numbered(1));
      assert.deepEqual((await taking).map(sequencesOf), [upTo(6), upTo(5, 2), upTo(4, 3)]);
    },
  },
  {
    name: "tail returns events that another store appends",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another();
      const logId = await newLog(store, 1);
      const taking = take(other, logId, 11);
      for (let n = 0; n < 10; n++) await store.append(logId, numbered(1));
      assert.deepEqual(sequencesOf(await taking), upTo(11));
    },
  },
  {
    name: "tail under many writers leaves nothing out and repeats nothing",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const taking = take(store, logId, 200);
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let n = 0; n < 25; n++) await store.append(logId, numbered(1));
        }),
      );
      assert.deepEqual(sequencesOf(await taking), upTo(200));
    },
  },
  {
    name: "a slow tail is waited for, and then continues",
    run: async ({ store }) => {
      const logId = await newLog(store, 600);
      const tail = store.tail(logId)[Symbol.asyncIterator]();
      assert.equal(((await tail.next()).value as StoredEvent).sequence, 1);
      await store.append(logId, numbered(700));
      const rest = upTo(1_299, 2);
      for (const sequence of rest)
        assert.equal(((await tail.next()).value as StoredEvent).sequence, sequence);
      await tail.return?.();
    },
  },
  {
    name: "a slow tail among fast ones misses nothing and delays none of them",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const slow = store.tail(logId)[Symbol.asyncIterator]();
      const first = slow.next();
      const fast = [1, 2, 3].map(() => take(store, logId, 1_500));
      for (let n = 0; n < 15; n++) await store.append(logId, numbered(100));
      for (const events of await Promise.all(fast)) assert.deepEqual(sequencesOf(events), upTo(1_500));
      assert.equal(((await first).value as StoredEvent).sequence, 1);
      await store.append(logId, numbered(1));
      for (const sequence of upTo(1_500, 2))
        assert.equal(((await slow.next()).value as StoredEvent).sequence, sequence);
      await slow.return?.();
    },
  },
  {
    name: "tails with and without types, from before, at and beyond the end, share a log",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const takings = Promise.all([
        take(store, logId, 6),
        take(store, logId, 2, { types: ["a"] }),
        take(store, logId, 2, { types: ["b", "c"], after: 2 }),
        take(store, logId, 1, { after: 5 }),
        take(store, logId, 1, { after: 3, types: ["c"] }),
      ]);
      for (const type of ["a", "b", "a", "c"]) await store.append(logId, [{ type, data: type }]);
      assert.deepEqual((await takings).map(sequencesOf), [upTo(6), [3, 5], [4, 6], [6], [6]]);
    },
  },
  {
    name: "the other tails continue after one of them is left",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const leaving = new AbortController();
      const left = store.tail(logId, { signal: leaving.signal })[Symbol.asyncIterator]();
      const first = left.next();
      const staying = take(store, logId, 3);
      await store.append(logId, numbered(1));
      assert.equal(((await first).value as StoredEvent).sequence, 1);
      const second = left.next();
      leaving.abort();
      assert.equal((await second).done, true);
      await store.append(logId, numbered(2));
      assert.deepEqual(sequencesOf(await staying), upTo(3));
      // All readers have left; then a new one begins.
      await store.append(logId, numbered(2));
      assert.deepEqual(sequencesOf(await take(store, logId, 2, { after: 3 })), [4, 5]);
    },
  },
  {
    name: "tail refuses an invalid sequence and invalid types",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      await rejects("invalid", take(store, logId, 1, { after: -1 }));
      await rejects("invalid", take(store, logId, 1, { after: 9, types: [""] }));
    },
  },
  {
    name: "tail of a fork returns inherited and own events, and no later events of its source",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const fork = await store.forkLog(logId, 2);
      const taking = take(store, fork.logId, 3);
      await store.append(logId, [said("source")]);
      await store.append(fork.logId, [said("fork")]);
      const events = await taking;
      assert.deepEqual(sequencesOf(events), [1, 2, 3]);
      assert.deepEqual(events[2]?.data, { content: "fork" });
    },
  },
];

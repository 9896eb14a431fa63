/** Append: numbering, batches, expected sequences, many writers. */

import assert from "node:assert/strict";
import {
  type ContractCase,
  newLog,
  numbered,
  readAll,
  rejects,
  said,
  sequencesOf,
  valuesOf,
} from "./case.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const appendCases: readonly ContractCase[] = [
  {
    name: "append numbers events 1, 2, 3 without gaps",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const first = await store.append(logId, numbered(2));
      const second = await store.append(logId, numbered(1, 3));
      assert.deepEqual(sequencesOf([...first, ...second]), [1, 2, 3]);
    },
  },
  {
    name: "append returns the events as a read returns them",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const stored = await store.append(logId, [
        { ...said("hello"), actor: { kind: "person", id: "p" }, parentId: "x", runId: "r" },
      ]);
      assert.deepEqual(stored, (await store.read(logId)).events);
    },
  },
  {
    name: "a stored event has exactly the keys of the contract",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [event] = await store.append(logId, [{ ...said("hello"), id: "e1" }]);
      assert.ok(event !== undefined);
      const { occurredAt, recordedAt, payloadHash, chainHash, ...rest } = event;
      assert.deepEqual(rest, {
        logId,
        sequence: 1,
        id: "e1",
        type: "message_sent",
        actor: { kind: "system" },
        retention: "critical",
        data: { content: "hello" },
      });
      assert.match(recordedAt, ISO);
      assert.equal(occurredAt, recordedAt);
      assert.match(payloadHash + chainHash, /^[0-9a-f]{128}$/);
    },
  },
  {
    name: "optional fields of an event are kept as they were given",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const given = {
        id: "e1",
        type: "custom",
        data: { name: "n" },
        parentId: "p1",
        actor: { kind: "agent", id: "a1", agent: "claude" },
        runId: "r1",
        occurredAt: "2026-01-02T03:04:05.678901Z",
        retention: "supplementary",
      } as const;
      await store.append(logId, [given]);
      const [event] = (await store.read(logId)).events;
      assert.ok(event !== undefined);
      const { recordedAt: _, payloadHash: _h, chainHash: _c, ...rest } = event;
      assert.deepEqual(rest, { logId, sequence: 1, ...given });
    },
  },
  {
    name: "an event without an id is given a UUIDv7 that grows",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const ids = (await store.append(logId, numbered(50))).map((event) => event.id);
      for (const id of ids)
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(ids, [...new Set(ids)].sort());
    },
  },
  {
    name: "a batch is all or nothing",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      await rejects("invalid", store.append(logId, [said("good"), { type: "custom", data: undefined }]));
      assert.equal(await store.latestSequence(logId), 1);
      await rejects(
        "not_found",
        store.append(logId, [said("good")], { also: [{ type: "run", runId: "none", to: "running" }] }),
      );
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
  {
    name: "an append of a thousand events is numbered in their order",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, numbered(1_000));
      const events = await readAll(store, logId);
      assert.deepEqual(valuesOf(events), sequencesOf(events));
      assert.equal(events.length, 1_000);
    },
  },
  {
    name: "appends at the same time are all stored, each once, without gaps",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await Promise.all(Array.from({ length: 40 }, (_, n) => store.append(logId, numbered(1, n))));
      const events = await readAll(store, logId);
      assert.deepEqual(
        sequencesOf(events),
        Array.from({ length: 40 }, (_, n) => n + 1),
      );
      assert.deepEqual(
        [...valuesOf(events)].sort((a, b) => Number(a) - Number(b)),
        Array.from({ length: 40 }, (_, n) => n),
      );
    },
  },
  {
    name: "a refused append does not affect other appends at the same time",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) =>
          store.append(logId, numbered(1, n), n % 3 === 0 ? { expectedSequence: 99 } : {}),
        ),
      );
      assert.equal(results.filter((result) => result.status === "rejected").length, 4);
      assert.equal(await store.latestSequence(logId), 8);
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "an append to a log that does not exist is not_found",
    run: async ({ store }) => {
      await rejects("not_found", store.append("nowhere", [said("hello")]));
    },
  },
  {
    name: "an append of nothing at all is refused",
    run: async ({ store }) => {
      await rejects("invalid", store.append(await newLog(store), []));
    },
  },
  {
    name: "expectedSequence: the log's newest sequence is accepted",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, numbered(2), { expectedSequence: 0 });
      assert.deepEqual(sequencesOf(await store.append(logId, numbered(1), { expectedSequence: 2 })), [3]);
    },
  },
  {
    name: "expectedSequence: any other one is a conflict that contains the newest",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      for (const expectedSequence of [0, 1, 3]) {
        const error = await rejects("conflict", store.append(logId, numbered(1), { expectedSequence }));
        assert.equal(error.details.latestSequence, 2);
      }
      assert.equal(await store.latestSequence(logId), 2);
    },
  },
  {
    name: "expectedSequence: if many writers expect the same, one of them wins",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, () => store.append(logId, numbered(1), { expectedSequence: 1 })),
      );
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
      assert.equal(await store.latestSequence(logId), 2);
    },
  },
  {
    name: "expectedSequence: a value that is not a sequence is refused",
    run: async ({ store }) => {
      const logId = await newLog(store);
      for (const expectedSequence of [-1, 0.5, Number.NaN]) {
        await rejects("invalid", store.append(logId, numbered(1), { expectedSequence }));
      }
    },
  },
  {
    name: "two stores on the same data keep one order without gaps",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another();
      const logId = await newLog(store);
      const writers = [store, other].flatMap((writer) => Array.from({ length: 15 }, () => writer));
      await Promise.all(writers.map((writer, n) => writer.append(logId, numbered(1, n))));
      assert.deepEqual(
        sequencesOf(await readAll(other, logId)),
        Array.from({ length: 30 }, (_, n) => n + 1),
      );
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "events that one store appended are read at once by another",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another();
      const logId = await newLog(store);
      for (let n = 1; n <= 5; n++) {
        await (n % 2 === 0 ? store : other).append(logId, numbered(1, n));
        assert.equal(await (n % 2 === 0 ? other : store).latestSequence(logId), n);
      }
    },
  },
];

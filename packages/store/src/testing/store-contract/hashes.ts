/** The hashes of payloads, the chain of hashes, and `verify`. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { CHAIN_START, canonicalJson, chainHash, payloadHash, type StoredEvent } from "@continuo/core/model";
import { type ContractCase, newLog, numbered, readAll, said } from "./case.ts";

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

function chainOf(events: readonly StoredEvent[]): string {
  return events.reduce((previous, event) => chainHash(sha256, previous, event), CHAIN_START);
}

export const hashCases: readonly ContractCase[] = [
  {
    name: "payloadHash is SHA-256 over the canonical JSON of the payload",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [event] = await store.append(logId, [
        { type: "x", data: { b: [1, "é"], a: { d: null, c: 1e21 } } },
      ]);
      assert.equal(event?.payloadHash, sha256('{"a":{"c":1e+21,"d":null},"b":[1,"é"]}'));
    },
  },
  {
    name: "a lone surrogate is hashed in its escape",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [event] = await store.append(logId, [{ type: "x", data: "\ud800" }]);
      assert.equal(event?.payloadHash, sha256('"\\ud800"'));
    },
  },
  {
    name: "chainHash links every event to the one before, without the log's id",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const events = await readAll(store, logId);
      const first = events[0];
      assert.ok(first !== undefined);
      const { sequence, id, type, actor, occurredAt, recordedAt, retention } = first;
      const canonical = canonicalJson({
        sequence,
        id,
        type,
        actor,
        occurredAt,
        recordedAt,
        retention,
        payloadHash: first.payloadHash,
      });
      assert.equal(first.chainHash, sha256(`continuo/1\n${CHAIN_START}\n${canonical}`));
      assert.equal(events[2]?.chainHash, chainOf(events));
    },
  },
  {
    name: "the log returns the chain hash of its newest event",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      assert.equal((await store.getLog(logId))?.chainHash, (await readAll(store, logId))[2]?.chainHash);
    },
  },
  {
    name: "a fork shares the hashes of its prefix and continues the chain",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const fork = await store.forkLog(logId, 2);
      await store.append(fork.logId, [said("fork")]);
      const [source, forked] = [await readAll(store, logId), await readAll(store, fork.logId)];
      assert.equal(source[1]?.chainHash, forked[1]?.chainHash);
      assert.notEqual(source[2]?.chainHash, forked[2]?.chainHash);
      assert.equal(forked[2]?.chainHash, chainOf(forked));
    },
  },
  {
    name: "verify of a whole log is ok, and returns the number of events that it checked",
    run: async ({ store }) => {
      const logId = await newLog(store, 1_200);
      assert.deepEqual(await store.verify(logId), { ok: true, checkedCount: 1_200, prunedCount: 0 });
      assert.deepEqual(await store.verify(await newLog(store)), {
        ok: true,
        checkedCount: 0,
        prunedCount: 0,
      });
    },
  },
  {
    name: "verify of a fork checks its inherited events and its own",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const fork = await store.forkLog(logId, 2);
      const deeper = await store.forkLog((await store.append(fork.logId, numbered(2)))[0]?.logId ?? "", 3);
      await store.append(deeper.logId, numbered(1));
      assert.deepEqual(await store.verify(deeper.logId), { ok: true, checkedCount: 4, prunedCount: 0 });
    },
  },
  {
    name: "a salted payload has another hash each time, and verifies",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const events = await store.append(logId, [
        { ...said("pin 1234"), salt: "random" },
        { ...said("pin 1234"), salt: "random" },
      ]);
      const [a, b] = events;
      assert.ok(a?.salt !== undefined && b?.salt !== undefined);
      assert.notEqual(a.payloadHash, b.payloadHash);
      assert.equal(a.payloadHash, payloadHash(sha256, canonicalJson(a.data), a.salt));
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "a salted event is idempotent by its id too",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const event = { ...said("pin 1234"), id: "e", salt: "random" } as const;
      const first = await store.append(logId, [event]);
      assert.deepEqual(await store.append(logId, [event]), first);
    },
  },
];

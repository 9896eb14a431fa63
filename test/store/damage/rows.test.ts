/** Rows of a log that were changed below the store: what `verify` returns for each kind of damage, in memory. */

import type { VerifyResult } from "@continuo/core/model";
import { afterEach, expect, test } from "vitest";
import { sql } from "../../../packages/store/src/store/engine/index.ts";
import { createStore, type OpenedStore } from "../../../packages/store/src/store/sql-store.ts";
import { openSqlite } from "../../../packages/store/src/store/sqlite/index.ts";

const opened: OpenedStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function openMemory(): Promise<OpenedStore> {
  const store = createStore(await openSqlite(undefined, { workspaceId: "w", migrate: "refused" }));
  opened.push(store);
  return store;
}

async function damage(store: OpenedStore, statement: string): Promise<void> {
  await store.engine.write((tx) => sql(tx, statement));
}

/**
 * Makes a log of five events, of which the second is pruned and the fourth has a media time, and a fork after the
 * third.
 */
async function openSample(): Promise<OpenedStore> {
  const store = await openMemory();
  await store.createLog({
    logId: "l",
    events: [
      { type: "message_sent", data: { content: "one" } },
      { type: "message_streamed", data: { delta: "two", messageId: "m" } },
      { type: "message_sent", data: { content: "three" }, salt: "random" },
      { type: "seen", data: { mediaTimeMs: 4 } },
      { type: "message_sent", data: { content: "five" } },
    ],
  });
  await store.prune("l", { reason: "old" });
  await store.forkLog("l", 3, { newLogId: "fork" });
  await store.append("fork", [{ type: "message_sent", data: { content: "own" } }]);
  return store;
}

function bad(firstBadSequence: number, reason: string): VerifyResult {
  const checkedCount = firstBadSequence - 1;
  return { ok: false, checkedCount, prunedCount: checkedCount >= 2 ? 1 : 0, firstBadSequence, reason };
}

const HASH = "0".repeat(64);
const PAYLOAD = "The payload is not what was stored: its hash differs.";
const CHAIN = "The event is not what was stored: its chain hash differs.";
const TIME = "The media time is not the one of the payload.";

test("an unchanged log passes verify, and so does its fork", async () => {
  const store = await openSample();
  expect(await store.verify("l")).toEqual({ ok: true, checkedCount: 5, prunedCount: 1 });
  expect(await store.verify("fork")).toEqual({ ok: true, checkedCount: 4, prunedCount: 1 });
  await store.createLog({ logId: "empty" });
  expect(await store.verify("empty")).toEqual({ ok: true, checkedCount: 0, prunedCount: 0 });
});

test.each<[string, string, VerifyResult]>([
  ["another payload", 'set payload = \'{"content":"two"}\' where sequence = 1', bad(1, PAYLOAD)],
  ["no payload", "set payload = null where sequence = 1", bad(1, "The payload is missing.")],
  [
    "a payload in a tombstone",
    "set payload = '1' where sequence = 2",
    bad(2, "The event is a tombstone, but has a payload."),
  ],
  ["a tombstone of another event", `set payload_hash = '${HASH}' where sequence = 2`, bad(2, CHAIN)],
  ["another hash of a payload", `set payload_hash = '${HASH}' where sequence = 3`, bad(3, PAYLOAD)],
  [
    "another salt",
    'set extras = replace(extras, \'"salt":"\', \'"salt":"0\') where sequence = 3',
    bad(3, PAYLOAD),
  ],
  ["another chain hash", `set chain_hash = '${HASH}' where sequence = 1`, bad(1, CHAIN)],
  ["another type", "set type = 'x' where sequence = 5", bad(5, CHAIN)],
  ["another time", "set occurred_at = '2020-01-01T00:00:00Z' where sequence = 1", bad(1, CHAIN)],
  ["another media time", "set media_time_ms = 5 where sequence = 4", bad(4, TIME)],
  ["no media time", "set media_time_ms = null where sequence = 4", bad(4, TIME)],
  ["a media time on an event that had none", "set media_time_ms = 4 where sequence = 5", bad(5, TIME)],
  ["another number", "set sequence = 9 where sequence = 2", bad(2, "The event is missing.")],
])("an event with %s is the first bad one", async (_what, change, expected) => {
  const store = await openSample();
  await damage(store, `update events ${change} and log_key = (select log_key from logs where log_id = 'l')`);
  expect(await store.verify("l")).toEqual(expected);
});

test.each([1, 2, 3])("a fork is damaged at the same event as its source: event %d", async (sequence) => {
  const store = await openSample();
  await damage(store, `update events set type = 'x' where sequence = ${sequence}`);
  expect(await store.verify("fork")).toEqual(bad(sequence, CHAIN));
});

test("a missing event of a fork is named, and its source passes verify", async () => {
  const store = await openSample();
  await damage(store, "delete from events where log_key = (select log_key from logs where log_id = 'fork')");
  const missing = "The log reaches 4, but the event is missing.";
  expect(await store.verify("fork")).toEqual(bad(4, missing));
  expect(await store.verify("l")).toMatchObject({ ok: true });
});

test("missing events at the end are found by the head of the log", async () => {
  const store = await openSample();
  await damage(store, "delete from events where sequence >= 4");
  expect(await store.verify("l")).toEqual(bad(4, "The log reaches 5, but the event is missing."));
});

test("a head with a wrong hash is named together with the last event, which is correct", async () => {
  const store = await openSample();
  await damage(store, `update logs set head_hash = '${HASH}' where log_id = 'l'`);
  expect(await store.verify("l")).toEqual({
    ok: false,
    checkedCount: 5,
    prunedCount: 1,
    firstBadSequence: 5,
    reason: "The log's head has another chain hash.",
  });
});

test("verify names a payload that cannot be read, with the same error as a read", async () => {
  const store = await openSample();
  await damage(store, "update events set payload = '{' where sequence = 4");
  const error: unknown = await store.read("l").catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "corrupt" });
  expect(await store.verify("l")).toEqual(bad(4, (error as Error).message));
});

test("damage is found on every page of a long log", async () => {
  const store = await openMemory();
  const events = Array.from({ length: 1_100 }, (_, n) => ({ type: "a", data: n }));
  await store.createLog({ logId: "l", events });
  expect(await store.verify("l")).toEqual({ ok: true, checkedCount: 1_100, prunedCount: 0 });
  for (const sequence of [1_001, 1_000, 501, 500]) {
    await damage(store, `update events set payload = '-1' where sequence = ${sequence}`);
    expect(await store.verify("l")).toEqual({ ...bad(sequence, PAYLOAD), prunedCount: 0 });
  }
});

test("records of bytes are verified, and a text that mentions pruning is not taken for a tombstone", async () => {
  const store = await openMemory();
  const data = new TextEncoder().encode("a");
  await store.createLog({ logId: "l", mediaType: "text/plain", events: [{ type: "bytes", data }] });
  expect(await store.verify("l")).toEqual({ ok: true, checkedCount: 1, prunedCount: 0 });
  await damage(store, "update events set bytes = x'62'");
  expect(await store.verify("l")).toEqual(bad(1, PAYLOAD));
  await store.createLog({ logId: "t", events: [{ type: "custom", data: { name: "pruned", pruned: true } }] });
  expect(await store.verify("t")).toEqual({ ok: true, checkedCount: 1, prunedCount: 0 });
});

import { ContinuoError, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { USED_CODES } from "../auth/index.ts";
import { STORED_BLOBS } from "../blobs/index.ts";
import { cleanAll } from "./clean.ts";
import { createCleaner } from "./cleaner.ts";

const DAY_MS = 86_400_000;
const ignore = (): void => undefined;

test("only one of several servers cleans, and not again within the hour", async () => {
  await using store = await openStore("memory:");
  const cleaners = [createCleaner(store, ignore), createCleaner(store, ignore)];
  const first = await Promise.all(cleaners.map((cleaner) => cleaner.look()));
  const second = await Promise.all(cleaners.map((cleaner) => cleaner.look()));
  expect([first.filter((one) => one !== null).length, second]).toEqual([1, [null, null]]);
});

test("tokens and codes that ended long ago are forgotten in every workspace, and all others stay", async () => {
  await using store = await openStore("memory:");
  const other = store.forWorkspace("other");
  const active = await other.createToken({ scopes: ["admin"] });
  const revoked = await other.createToken({ scopes: ["admin"] });
  await other.revokeToken(revoked.tokenId);
  await store.putClaim({ name: `${USED_CODES}/x`, generation: 1, owner: "a", status: "used" });
  await store.createLog({ logId: "kept" });
  const nothing = { logs: 0, tokens: 0, codes: 0, leases: 0, blobs: 0 };
  expect(await cleanAll(store, { now: Date.now() })).toEqual(nothing);
  expect(await cleanAll(store, { now: Date.now() + 2 * DAY_MS })).toEqual({ ...nothing, codes: 1 });
  expect(await cleanAll(store, { now: Date.now() + 8 * DAY_MS })).toEqual({ ...nothing, tokens: 1 });
  expect((await other.listTokens()).items.map(({ tokenId }) => tokenId)).toEqual([active.tokenId]);
  expect(await store.getLog("kept")).not.toBeNull();
});

test("an attachment without an event is removed when it expires, and its author is forgotten after a day", async () => {
  let nowMs = Date.now();
  await using store = await openStore("memory:", { now: () => nowMs });
  const expiresAt = new Date(nowMs + DAY_MS).toISOString();
  const bytes = (text: string): AsyncIterable<Uint8Array> => new Blob([text]).stream();
  const [loose, kept] = [
    await store.putBlob(bytes("a"), { expiresAt }),
    await store.putBlob(bytes("b"), { expiresAt }),
  ];
  await store.putBlob(bytes("c"));
  await store.createLog({ logId: "log" });
  await store.append("log", [{ type: "custom", data: {}, blobs: [kept.hash] }]);
  await store.putClaim({
    name: `${STORED_BLOBS}/${loose.hash}/a`,
    generation: 1,
    owner: "a",
    status: "stored",
  });
  nowMs += DAY_MS / 2;
  expect((await cleanAll(store, { now: nowMs })).blobs).toBe(0);
  nowMs += DAY_MS;
  expect((await cleanAll(store, { now: nowMs })).blobs).toBe(1);
  expect([(await store.listBlobs()).items.length, (await store.listClaims()).items]).toEqual([2, []]);
});

test("leases are forgotten a day after their release, and those of killed runs after 30 days", async () => {
  let nowMs = Date.now();
  await using store = await openStore("memory:", { now: () => nowMs });
  await store.createLog({ logId: "kept" });
  await store.releaseLease(await store.acquireLease("channel/team/ann", { owner: "a" }));
  for (const name of ["channel/team/bob", "live/server/x", "run/r", "session/s"]) {
    await store.acquireLease(name, { owner: "a", ttlMs: 1 });
  }
  const held = await store.acquireLease("session/t", { owner: "a", ttlMs: 100 * DAY_MS });
  const removedAfter = async (days: number): Promise<number> => {
    nowMs += days * DAY_MS;
    return (await cleanAll(store, { now: nowMs })).leases;
  };
  expect([await removedAfter(0.9), await removedAfter(0.2), await removedAfter(30)]).toEqual([0, 1, 2]);
  expect((await store.listLeases()).items.map(({ name }) => name)).toEqual([
    "channel/team/bob",
    "live/server/x",
    held.name,
  ]);
});

test("a store that did not answer is cleaned as soon as it answers, and not an hour later", async () => {
  await using store = await openStore("memory:");
  let isAway = true;
  const away: Store = {
    ...store,
    acquireLease: async (...given) => {
      if (isAway) throw new ContinuoError("unavailable", "the store does not answer");
      return await store.acquireLease(...given);
    },
  };
  const cleaner = createCleaner(away, ignore);
  expect(await cleaner.look()).toBeNull();
  isAway = false;
  expect(await cleaner.look()).not.toBeNull();
});

/** The exact times of rows, on a store whose clock the test moves. */

import { listAll } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const MINUTE_MS = 60_000;

let nowMs = START;
beforeEach(() => {
  nowMs = START;
});

const at = (afterMs: number): string => new Date(START + afterMs).toISOString();

async function memoryStore(): Promise<OpenedStore> {
  const store = await openStore("memory:", { now: () => nowMs });
  onTestFinished(() => store.close());
  return store;
}

test("the time of a cursor changes when it or its data changes, and not when the cursor stays or would move back", async () => {
  const store = await memoryStore();
  const of = { logId: "log", name: "ada" };
  await store.createLog({ logId: "log", events: Array.from({ length: 5 }, () => ({ type: "a", data: 1 })) });
  const steps: [object, number, unknown, number][] = [
    [{}, 0, null, 1],
    [{ sequence: 2 }, 2, null, 2],
    [{ sequence: 2 }, 2, null, 2],
    [{ sequence: 1, data: "behind" }, 2, null, 2],
    [{ sequence: 2, data: "same" }, 2, "same", 5],
    [{ sequence: 4 }, 4, "same", 6],
    [{ data: "alone" }, 4, "alone", 7],
    [{}, 4, "alone", 8],
    [{ sequence: 5, data: null }, 5, null, 9],
  ];
  for (const [request, sequence, data, updated] of steps) {
    nowMs++;
    const cursor = { ...of, sequence, data, updatedAt: at(updated) };
    expect(await store.commitCursor({ ...of, ...request })).toEqual(cursor);
    expect(await store.getCursor(of)).toEqual(cursor);
  }
  await store.resetCursor({ ...of, sequence: 0 });
  expect((await store.getCursor(of))?.sequence).toBe(0);
  await store.resetCursor({ ...of, name: "nobody" });
  expect((await store.listCursors()).items).toHaveLength(1);
});

test("a lease is held until the exact millisecond of its expiry", async () => {
  const store = await memoryStore();
  const lease = await store.acquireLease("lease", { owner: "ada" });
  expect(lease).toEqual({ name: "lease", owner: "ada", token: 1, expiresAt: at(30_000) });
  const states = async (): Promise<readonly string[]> =>
    (await store.listLeases()).items.map(({ state }) => state);
  nowMs += 29_999;
  expect([await store.getLease("lease"), await states()]).toEqual([lease, ["held"]]);
  expect((await store.listLeases({ state: "held" })).items).toHaveLength(1);
  expect((await store.listLeases({ state: "expired" })).items).toEqual([]);
  nowMs += 1;
  expect([await store.getLease("lease"), await states()]).toEqual([null, ["expired"]]);
  expect((await store.listLeases({ state: "held" })).items).toEqual([]);
  expect((await store.listLeases({ state: "expired" })).items).toHaveLength(1);
  expect(await store.renewLease(lease)).toEqual({ ...lease, expiresAt: at(60_000) });
  expect(await store.renewLease({ ...lease, ttlMs: 1 })).toEqual({ ...lease, expiresAt: at(30_001) });
  await store.releaseLease(lease);
  expect((await store.listLeases({ state: "released" })).items).toEqual([
    { ...lease, expiresAt: at(30_000), state: "released" },
  ]);
  expect((await store.listLeases()).items).toEqual([]);
});

test("a token is active until the exact millisecond of its expiry, and a revocation is permanent", async () => {
  const store = await memoryStore();
  const { secret, ...token } = await store.createToken({ scopes: ["a"], expiresAt: at(100) });
  const other = await store.createToken({ scopes: ["a"] });
  expect([token.createdAt, token.issuedFrom, token.handle, token.label]).toEqual([
    at(0),
    "network",
    null,
    null,
  ]);
  const ids = async (state: "active" | "expired" | "revoked"): Promise<readonly string[]> =>
    (await store.listTokens({ state })).items.map(({ tokenId }) => tokenId);
  nowMs += 99;
  expect((await store.authenticate(secret))?.state).toBe("active");
  expect([await ids("active"), await ids("expired")]).toEqual([[token.tokenId, other.tokenId], []]);
  nowMs += 1;
  expect(await store.authenticate(secret)).toBeNull();
  expect(await store.getToken(token.tokenId)).toEqual({ ...token, state: "expired" });
  expect([await ids("active"), await ids("expired")]).toEqual([[other.tokenId], [token.tokenId]]);
  const revoked = { ...token, state: "revoked", revokedAt: at(100) };
  expect(await store.revokeToken(token.tokenId)).toEqual(revoked);
  nowMs += 1;
  expect(await store.revokeToken(token.tokenId)).toEqual(revoked);
  expect([await ids("expired"), await ids("revoked")]).toEqual([[], [token.tokenId]]);
  expect(await store.removeTokens({ endedBefore: at(100) })).toBe(0);
  expect(await store.removeTokens({ endedBefore: at(101) })).toBe(1);
  const expiring = await store.createToken({ scopes: ["a"], expiresAt: at(110) });
  expect(await store.removeTokens({ endedBefore: at(110) })).toBe(0);
  expect(await store.removeTokens({ endedBefore: at(111) })).toBe(1);
  expect(await store.getToken(expiring.tokenId)).toBeNull();
  expect(await ids("active")).toEqual([other.tokenId]);
});

test("webhook keys and claims have the times of their last change", async () => {
  const store = await memoryStore();
  const key = { version: 1, keyId: "k", algorithm: "Ed25519", publicKey: "", privateKey: "" };
  const stored = { ...key, createdAt: at(0), retiredAt: null };
  expect(await store.putWebhookKey(key)).toEqual(stored);
  nowMs++;
  expect(await store.putWebhookKey({ ...key, keyId: "later" })).toEqual(stored);
  expect(await store.retireWebhookKey(1)).toEqual({ ...stored, retiredAt: at(1) });
  nowMs++;
  expect(await store.retireWebhookKey(1)).toEqual({ ...stored, retiredAt: at(1) });
  const claim = { name: "claim", owner: "ada", generation: 1 };
  const taken = { ...claim, status: "claimed", data: null, updatedAt: at(2) };
  expect(await store.putClaim(claim)).toEqual(taken);
  nowMs++;
  expect(await store.putClaim({ ...claim, status: "done", data: [1] })).toEqual({
    ...taken,
    status: "done",
    data: [1],
    updatedAt: at(3),
  });
});

test("a run has the times of its steps, and keeps its owner, result and metadata", async () => {
  const store = await memoryStore();
  await store.createSession({ sessionId: "s" });
  const pending = await store.createRun({ sessionId: "s", runId: "r", metadata: { a: 1, b: 2 } });
  nowMs++;
  const running = await store.transitionRun("r", {
    to: "running",
    owner: "ada",
    metadata: { b: null, c: 3 },
  });
  expect(running).toEqual({
    ...pending,
    status: "running",
    owner: "ada",
    metadata: { a: 1, c: 3 },
    startedAt: at(1),
  });
  nowMs++;
  const ended = { ...running, status: "completed", result: [1], error: "e", endedAt: at(2) };
  expect(await store.transitionRun("r", { to: "completed", result: [1], error: "e" })).toEqual(ended);
  expect(await store.getRun("r")).toEqual(ended);
});

test("sessions of the same millisecond are listed by id, newest change first, page by page", async () => {
  const store = await memoryStore();
  for (const sessionId of ["b", "a", "d"]) await store.createSession({ sessionId });
  nowMs++;
  const { updatedAt, lastActivityAt } = await store.createSession({ sessionId: "c", parentId: "a" });
  expect([updatedAt, lastActivityAt]).toEqual([at(1), at(1)]);
  const listed = listAll((place) => store.listSessions({ limit: 1, ...place }));
  expect(await Array.fromAsync(listed, ({ sessionId }) => sessionId)).toEqual(["c", "d", "b", "a"]);
  expect((await store.listSessions({ parentId: "a" })).items.map(({ sessionId }) => sessionId)).toEqual([
    "c",
  ]);
});

test("a session is found by its last activity, even when its row was written two minutes earlier", async () => {
  const store = await memoryStore();
  await store.createSession({ sessionId: "s" });
  nowMs += MINUTE_MS - 1;
  await store.append("s", [{ type: "a", data: 1 }]);
  const [session] = (await store.listSessions({ activeAfter: at(MINUTE_MS - 2) })).items;
  expect([session?.updatedAt, session?.lastActivityAt]).toEqual([at(0), at(MINUTE_MS - 1)]);
  expect((await store.listSessions({ activeAfter: at(MINUTE_MS - 1) })).items).toEqual([]);
  expect((await store.listSessions({ activeBefore: at(MINUTE_MS - 1) })).items).toHaveLength(1);
  expect((await store.listSessions({ activeBefore: at(MINUTE_MS - 2) })).items).toEqual([]);
  nowMs += 1;
  await store.append("s", [{ type: "a", data: 1 }]);
  expect((await store.getSession("s"))?.updatedAt).toBe(at(MINUTE_MS));
});

test("a log expires at the exact millisecond, and a change restarts its time to live", async () => {
  const store = await memoryStore();
  const { created: _, ...log } = await store.createLog({ logId: "log", ttl: 1 });
  expect([log.ttl, log.expiresAt]).toEqual([1, at(1_000)]);
  nowMs += 999;
  expect(await store.touchLog("log")).toEqual({ ...log, expiresAt: at(1_999) });
  nowMs += 999;
  const closed = await store.closeLog("log");
  expect(closed).toEqual({ ...log, expiresAt: at(2_998), changedAt: at(1_998), closedAt: at(1_998) });
  nowMs += 999;
  expect(await store.getLog("log")).toEqual(closed);
  expect(await store.removeExpired()).toBe(0);
  nowMs += 1;
  expect(await store.getLog("log")).toBeNull();
  await expect(store.deleteLog("log")).rejects.toMatchObject({ code: "not_found" });
  await expect(store.commitCursor({ logId: "log", name: "c", sequence: 1 })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await store.listDeletedLogs()).items).toEqual([]);
  expect(await store.commitCursor({ logId: "log", name: "c" })).toMatchObject({ sequence: 0 });
  const { chainHash } = log;
  expect((await store.listDeletedLogs()).items).toEqual([
    { logId: "log", deletedAt: at(2_998), reason: "expired", latestSequence: 0, chainHash },
  ]);
});

test("an expired log that forks read exists only for its forks", async () => {
  const store = await memoryStore();
  await store.createLog({ logId: "log", ttl: 1, events: [{ type: "a", data: 1 }] });
  await store.forkLog("log", 1, { newLogId: "fork", ttl: 100 });
  nowMs += 1_000;
  for (const call of [
    () => store.getLog("log"),
    () => store.read("log"),
    () => store.deleteLog("log"),
    () => store.getCursor({ logId: "log", name: "c" }),
    () => store.commitCursor({ logId: "log", name: "c" }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: "gone" });
  }
  await expect(store.createLog({ logId: "log" })).rejects.toMatchObject({ code: "conflict" });
  expect((await store.read("fork")).events).toHaveLength(1);
});

test("more expired logs than one page are removed at once", async () => {
  const store = await memoryStore();
  for (let n = 0; n < 101; n++) await store.createLog({ ttl: 1 });
  nowMs += 1_000;
  expect(await store.removeExpired()).toBe(101);
});

test("a blob keeps the later of two expiries, or none, and a new blob is not collected", async () => {
  const store = await memoryStore();
  const put = async (n: number, expiresAt?: string): Promise<string | undefined> =>
    (await store.putBlob(Uint8Array.of(n), expiresAt === undefined ? {} : { expiresAt })).expiresAt;
  expect(await put(1, at(10))).toBe(at(10));
  expect(await put(1, at(20))).toBe(at(20));
  expect(await put(1, at(15))).toBe(at(20));
  expect(await put(2, at(10))).toBe(at(10));
  expect(await put(2)).toBeUndefined();
  expect(await put(2, at(10))).toBeUndefined();
  nowMs += 19;
  expect(await store.collectBlobs({ minAgeMs: 20 })).toEqual({ removed: 0, sizeBytes: 0 });
  nowMs += 1;
  expect(await store.collectBlobs({ minAgeMs: 21 })).toEqual({ removed: 1, sizeBytes: 1 });
  expect(await store.collectBlobs({ minAgeMs: 20 })).toEqual({ removed: 1, sizeBytes: 1 });
});

test("more blobs than one page are collected at once", async () => {
  const store = await memoryStore();
  for (let n = 0; n < 201; n++) await store.putBlob(Uint8Array.of(n, n));
  expect(await store.collectBlobs({ minAgeMs: 0 })).toEqual({ removed: 201, sizeBytes: 402 });
});

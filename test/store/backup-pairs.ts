/** A backup of a store of one engine that is restored into a store of another, which continues it. */

import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { backupStore, openStore, restoreStore, verifyStore } from "@continuo/store";
import { expect } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

let made = 0;
const newFile = (folder: string): string => join(folder, `pair-${made++}.db`);

const LARGE = new Uint8Array(600_000).fill(7);

async function fill(store: Store): Promise<void> {
  const { sessionId } = await store.createSession({
    sessionId: "s",
    title: "T",
    metadata: { a: "\u0000\ud800" },
  });
  const small = await store.putBlob(new Uint8Array([1, 2, 3]));
  const large = await store.putBlob(LARGE, { mediaType: "image/png" });
  await store.append(sessionId, [
    { type: "message_sent", data: { content: "x" }, blobs: [small.hash, large.hash], salt: "random" },
    { type: "message_streamed", data: { delta: "y", messageId: "m" } },
  ]);
  await store.prune(sessionId, { reason: "old" });
  await store.createLog({
    logId: "bytes",
    mediaType: "text/plain",
    events: [{ type: "bytes", data: LARGE.subarray(0, 9) }],
  });
  await store.forkLog("bytes", 0, { newLogId: "fork", bytes: 4 });
  await store.createRun({ sessionId, runId: "r", input: [1] });
  await store.commitCursor({ logId: sessionId, name: "c", sequence: 2 });
  await store.commitCursor({ logId: "not made yet", name: "c", data: { early: true } });
  await store.createToken({ scopes: ["channel:team:read"], handle: "ada" });
  await store.putWebhookKey({
    version: 1,
    keyId: "k",
    algorithm: "Ed25519",
    publicKey: "p",
    privateKey: "q",
  });
  await store.append(sessionId, [{ type: "seen", data: { mediaTimeMs: 5 } }]);
  await store.acquireLease("l", { owner: "o" });
  const also = [
    { type: "claim", name: "k", owner: "o", generation: 1, data: { d: 1 } },
    { type: "snapshot", name: "n", data: [1] },
    { type: "producer", producerId: "p", epoch: 1, sequence: 0 },
  ] as const;
  await store.append(sessionId, [{ type: "custom", data: { name: "n" } }], { also });
  await store.createLog({ logId: "gone", events: [{ type: "custom", data: { name: "n" } }] });
  await store.deleteLog("gone");
}

async function contentOf(store: Store): Promise<unknown> {
  const logs = (await store.listLogs()).items;
  const events = await Promise.all(logs.map((log) => store.read(log.logId)));
  const blobs: unknown[] = [];
  for (const hash of events.flatMap((page) => page.events.flatMap((event) => event.blobs ?? []))) {
    let size = 0;
    for await (const chunk of (await store.openBlob(hash)).bytes) size += chunk.length;
    blobs.push([hash, size, (await store.statBlob(hash))?.mediaType]);
  }
  return {
    logs,
    events,
    blobs,
    sessions: (await store.listSessions()).items.map((session) => ({ ...session, activityOrder: undefined })),
    runs: await store.listRuns(),
    cursors: await store.listCursors(),
    claims: await store.listClaims(),
    tokens: await store.listTokens(),
    webhookKeys: await store.listWebhookKeys(),
    media: await store.readMedia("s", { fromMs: 5, toMs: 5 }),
    deleted: await store.listDeletedLogs(),
    lease: await store.getLease("l"),
    snapshot: await store.getLatestSnapshot({ logId: "s", name: "n" }),
    producer: await store.getProducer("s", "p"),
  };
}

async function changedAfter(store: Store, mark: string): Promise<readonly string[]> {
  const { items } = await store.listLogs({ changedAfter: mark });
  return items.map((log) => log.logId).sort();
}

/**
 * Returns a mark after which no log changed. Postgres may list logs again while an older transaction of any test runs.
 */
async function settledMark(store: Store): Promise<string> {
  for (let tries = 0; ; tries++) {
    const { mark } = await store.listLogs();
    if ((await changedAfter(store, mark)).length === 0 || tries === 6_000) return mark;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export type Engine = "memory" | "sqlite" | "postgres";

const ENGINES: Readonly<Record<Engine, (folder: string) => Promise<string>>> = {
  memory: async () => "memory:",
  sqlite: async (folder: string) => `sqlite:${newFile(folder)}`,
  postgres: newPostgresDatabase,
};
export const ENGINE_NAMES = Object.keys(ENGINES) as readonly Engine[];

/** Each engine is once the source and once the target. The full size tries the other pairs. */
export const QUICK_PAIRS: readonly (readonly [source: Engine, target: Engine])[] = [
  ["memory", "sqlite"],
  ["sqlite", "postgres"],
  ["postgres", "memory"],
];

export async function expectRestored(source: Engine, target: Engine, folder: string): Promise<void> {
  await using from = await openStore(await ENGINES[source](folder), { migrate: true });
  await fill(from);
  const file = newFile(folder);
  const result = await backupStore(from, file);
  expect(result).toMatchObject({ file, events: 8, blobs: 2 });
  await using to = await openStore(await ENGINES[target](folder), { migrate: true });
  const { mark: atFirst } = await to.listLogs();
  expect(await restoreStore(to, file)).toEqual({ logs: 3, events: 8, blobs: 2 });
  expect(await changedAfter(to, atFirst)).toEqual(["bytes", "fork", "s"]);
  expect(await contentOf(to)).toEqual(await contentOf(from));
  for await (const verification of verifyStore(to)) expect(verification).toMatchObject({ ok: true });
  const restored = await settledMark(to);
  await to.append("s", [{ type: "custom", data: { name: "on" } }], { expectedSequence: 6 });
  await to.createSession({ sessionId: "new" });
  await to.createRun({ sessionId: "new" });
  expect(await changedAfter(to, restored)).toEqual(["new", "s"]);
  expect(await changedAfter(to, await settledMark(to))).toEqual([]);
  await expect(restoreStore(to, file)).rejects.toMatchObject({ code: "conflict" });
}

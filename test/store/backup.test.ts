import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { backupStore, openStore, restoreStore, vacuumStore, verifyStore } from "@continuo/store";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const folder = scratchFolder("backup");

let made = 0;
const newFile = (): string => join(folder, `${made++}.db`);

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

const ENGINES = {
  memory: () => Promise.resolve("memory:"),
  sqlite: () => Promise.resolve(`sqlite:${newFile()}`),
  postgres: newPostgresDatabase,
};

describe.each(Object.entries(ENGINES))("a backup of %s", (_from, source) => {
  test.each(Object.entries(ENGINES))(
    "is restored into %s, which continues it",
    async (_to, target) => {
      await using from = await openStore(await source(), { migrate: true });
      await fill(from);
      const file = newFile();
      const result = await backupStore(from, file);
      expect(result).toMatchObject({ file, events: 8, blobs: 2 });
      await using to = await openStore(await target(), { migrate: true });
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
    },
    120_000,
  );
});

test("a backup is consistent while writers work", { timeout: 120_000 }, async () => {
  await using store = await openStore(`sqlite:${newFile()}`);
  await store.createLog({ logId: "a" });
  await store.createLog({ logId: "b" });
  let state: "writing" | "done" = "writing";
  const writing = (async () => {
    while (state === "writing") {
      // One transaction changes both logs: a consistent backup has both changes or neither.
      const { latestSequence } = (await store.getLog("a")) ?? { latestSequence: 0 };
      await store.append("a", [{ type: "custom", data: { name: "n" } }]);
      await store.append("b", [{ type: "custom", data: { name: "n" } }], {
        also: [{ type: "cursor", name: "c", logId: "a", sequence: latestSequence + 1 }],
      });
    }
  })();
  for (let n = 0; n < 5; n++) {
    const written = await store.latestSequence("b");
    while ((await store.latestSequence("b")) < written + 10)
      await new Promise((resolve) => setImmediate(resolve));
    const file = newFile();
    await backupStore(store, file);
    await using copy = await openStore(`sqlite:${file}`);
    const [a, b] = [await copy.latestSequence("a"), await copy.latestSequence("b")];
    expect(a - b === 0 || a - b === 1).toBe(true);
    expect((await copy.getCursor({ logId: "a", name: "c" }))?.sequence ?? 0).toBe(b);
    expect((await copy.verify("a")).ok && (await copy.verify("b")).ok).toBe(true);
  }
  state = "done";
  await writing;
});

test("a backup refuses an existing file, and a restore a file that is not a backup; neither leaves a file behind", async () => {
  await using store = await openStore("memory:");
  const file = newFile();
  await backupStore(store, file);
  await expect(backupStore(store, file)).rejects.toMatchObject({ code: "conflict" });
  expect(existsSync(`${file}.unfinished`)).toBe(false);
  await expect(restoreStore(store, import.meta.filename)).rejects.toMatchObject({ code: "unreadable" });
  expect((await store.info()).logs).toBe(0);
});

test("a backup into a folder that does not exist names the folder in its error, and leaves no file", async () => {
  await using store = await openStore("memory:");
  const file = join(folder, "missing", "backup.db");
  await expect(backupStore(store, file)).rejects.toMatchObject({
    code: "unwritable",
    message: expect.stringContaining("its folder does not exist"),
    hint: "Create the folder first.",
  });
  expect(existsSync(join(folder, "missing"))).toBe(false);
});

test("vacuum removes expired rows and frees their space", async () => {
  const path = newFile();
  await using store = await openStore(`sqlite:${path}`);
  const value = "x".repeat(10_000);
  await store.createLog({
    logId: "a",
    ttl: 0.01,
    events: Array.from({ length: 100 }, () => ({ type: "custom", data: { name: "n", value } })),
  });
  const before = (await store.info()).sizeBytes;
  while ((await store.getLog("a")) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await vacuumStore(store)).toEqual({ expiredLogs: 1, blobs: 0, blobBytes: 0, objects: 0 });
  expect((await store.listDeletedLogs()).items[0]?.reason).toBe("expired");
  expect((await store.info()).sizeBytes).toBeLessThan(before / 2);
});

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { StoredEvent, TailOptions } from "@continuo/core/model";
import { afterEach, expect, test } from "vitest";
import type { Engine } from "./engine/index.ts";
import { createStore, type OpenedStore } from "./sql-store.ts";
import { openSqlite } from "./sqlite/index.ts";

const opened: OpenedStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

interface Counted {
  readonly store: OpenedStore;
  /** Reads of the engine since the last call. */
  readonly reads: () => number;
}

async function countedStore(): Promise<Counted> {
  const engine = await openSqlite(undefined, { workspaceId: "w", migrate: "refused" });
  let count = 0;
  const counting: Engine = {
    ...engine,
    read: (rule, signal) => {
      count++;
      return engine.read(rule, signal);
    },
  };
  const store = createStore(counting);
  opened.push(store);
  return {
    store,
    reads: () => {
      const reads = count;
      count = 0;
      return reads;
    },
  };
}

interface Reader {
  readonly seen: StoredEvent[];
  stop(): Promise<void>;
}

function follow(store: OpenedStore, logId: string, options: TailOptions = {}): Reader {
  const stopping = new AbortController();
  const seen: StoredEvent[] = [];
  const done = (async () => {
    for await (const event of store.tail(logId, { ...options, signal: stopping.signal })) seen.push(event);
  })();
  return {
    seen,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function collected(): Promise<void> {
  setFlagsFromString("--expose-gc");
  await settled();
  (runInNewContext("gc") as () => void)();
}

test("an append of this process costs no read, however many readers wait for it", async () => {
  const { store, reads } = await countedStore();
  const { logId } = await store.createLog();
  const view = store.forWorkspace("w");
  const readers = [store, view].flatMap((from) => Array.from({ length: 50 }, () => follow(from, logId)));
  await settled();
  reads();
  for (let n = 1; n <= 20; n++) {
    await store.append(logId, [{ type: "a", data: n }]);
    await settled();
    expect(reads()).toBe(0);
    for (const { seen } of readers) expect(seen.length).toBe(n);
  }
  // All readers receive the same object.
  expect(new Set(readers.map(({ seen }) => seen[7])).size).toBe(1);
  await Promise.all(readers.map((reader) => reader.stop()));
});

test("readers at the end of a log get the same events as from a read, and never the objects of the caller that appended", async () => {
  const { store, reads } = await countedStore();
  const { logId } = await store.createLog();
  const { logId: bytesId } = await store.createLog({ mediaType: "application/octet-stream" });
  const [reader, ofBytes] = [follow(store, logId), follow(store, bytesId)];
  await settled();
  reads();
  const data = { text: "ä \u2028 \ud800", at: new Date(0), left: undefined, deep: [{ n: -0 }] };
  const appended = await store.append(logId, [
    { type: "a", data, id: "one", runId: "r", parentId: "p", actor: { kind: "agent", agent: "x" } },
    {
      type: "b",
      data: null,
      salt: "random",
      retention: "supplementary",
      occurredAt: new Date(1).toISOString(),
    },
  ]);
  await store.append(logId, [{ type: "message_sent", data: { content: 7 } }]);
  const [first] = await store.append(bytesId, [{ type: "bytes", data: new Uint8Array([1, 2]) }]);
  (first?.data as Uint8Array)[0] = 9;
  await settled();
  expect(reads()).toBe(0);
  expect(reader.seen).toEqual((await store.read(logId)).events);
  expect(ofBytes.seen).toEqual((await store.read(bytesId)).events);
  expect(reader.seen).toHaveLength(3);
  for (const event of appended) expect(reader.seen).not.toContain(event);
  await Promise.all([reader.stop(), ofBytes.stop()]);
});

test("more than a few rows, and changes other than appends, are read from the store", async () => {
  const { store, reads } = await countedStore();
  const { logId } = await store.createLog();
  const reader = follow(store, logId);
  await settled();
  const many = (count: number, chars: number) =>
    Array.from({ length: count }, () => ({ type: "a", data: "x".repeat(chars) }));
  for (const [events, count] of [
    [many(65, 1), 1],
    [many(1, 70_000), 1],
    [many(64, 1), 0],
  ] as const) {
    reads();
    await store.append(logId, events);
    await settled();
    expect(reads()).toBe(count);
  }
  // Both are in one transaction, so that the rows would not say that the log has ended.
  await Promise.all([store.append(logId, many(1, 1)), store.closeLog(logId)]);
  await settled();
  expect(reads()).toBe(1);
  expect(reader.seen.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 131 }, (_, n) => n + 1));
  await reader.stop();
});

test("a reader that joins at the end of a log with a tail costs one read of the log's row", async () => {
  const { store, reads } = await countedStore();
  const { logId } = await store.createLog({ events: [{ type: "a", data: 1 }] });
  const first = follow(store, logId);
  await settled();
  reads();
  const second = follow(store, logId, { after: "latest" });
  await settled();
  expect(reads()).toBe(1);
  await Promise.all([first.stop(), second.stop()]);
});

test("a reader that stops reading keeps in memory at most its own event and what all readers share", async () => {
  const { store, reads } = await countedStore();
  const { logId } = await store.createLog();
  const slow = store.tail(logId)[Symbol.asyncIterator]();
  const first = slow.next();
  const fast = follow(store, logId);
  await settled();
  const data = "x".repeat(64 * 1024);
  for (let n = 0; n < 100; n++) {
    await store.append(logId, [{ type: "a", data }]);
    await settled();
  }
  expect((await first).value?.sequence).toBe(1);
  expect(fast.seen.length).toBe(100);
  reads();
  for (let sequence = 2; sequence <= 100; sequence++)
    expect((await slow.next()).value?.sequence).toBe(sequence);
  // 99 events of 64 KiB in pages of 1 MiB: only the slow reader reads again what is no longer held.
  const count = reads();
  expect(count).toBeGreaterThanOrEqual(5);
  expect(count).toBeLessThanOrEqual(8);
  await slow.return?.();
  await fast.stop();
});

test("events that every reader has received are not kept in memory", async () => {
  const { store } = await countedStore();
  const { logId } = await store.createLog();
  const seen: WeakRef<StoredEvent>[] = [];
  const stopping = new AbortController();
  const readers = [1, 2].map(async () => {
    for await (const event of store.tail(logId, { signal: stopping.signal })) seen.push(new WeakRef(event));
  });
  await settled();
  for (let n = 1; n <= 20; n++) {
    await store.append(logId, [{ type: "a", data: n }]);
    await settled();
  }
  expect(seen).toHaveLength(40);
  await collected();
  const held = seen.filter((event) => event.deref() !== undefined);
  // The two readers still hold the newest event.
  expect(held.length).toBeLessThanOrEqual(2);
  stopping.abort();
  await Promise.all(readers);
});

test("nothing is read, and nothing is watched, when all readers have left", async () => {
  const { store, reads } = await countedStore();
  const { logId } = await store.createLog();
  const readers = [1, 2, 3].map(() => follow(store, logId));
  await settled();
  await Promise.all(readers.map((reader) => reader.stop()));
  await settled();
  reads();
  await store.append(logId, [{ type: "a", data: 1 }]);
  await settled();
  expect(reads()).toBe(0);
  expect(store.engine.changes.watched().size).toBe(0);
});

test("a read that fails fails every reader that waits, and those who come later read again", async () => {
  const engine = await openSqlite(undefined, { workspaceId: "w", migrate: "refused" });
  let state: "works" | "fails" = "works";
  const failing: Engine = {
    ...engine,
    read: (rule, signal) =>
      state === "fails" ? Promise.reject(new Error("no answer")) : engine.read(rule, signal),
  };
  const store = createStore(failing);
  opened.push(store);
  const { logId } = await store.createLog();
  const errors = [1, 2].map(async () => {
    try {
      for await (const event of store.tail(logId)) expect(event).toBeUndefined();
    } catch (error) {
      return (error as Error).message;
    }
    return "ended";
  });
  await settled();
  state = "fails";
  await store.append(logId, [{ type: "a", data: "x".repeat(70_000) }]);
  expect(await Promise.all(errors)).toEqual(["no answer", "no answer"]);
  state = "works";
  const later = follow(store, logId);
  await settled();
  expect(later.seen.length).toBe(1);
  await later.stop();
});

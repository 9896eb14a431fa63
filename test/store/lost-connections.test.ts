/** Connections to Postgres that are lost while a store is used. */

import { isContinuoError, type NewEvent, type StoredEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { SessionManager } from "../../src/index.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { type CommitFailure, type PostgresProxy, postgresProxy } from "./harness/postgres-proxy.ts";

let url: string;
let admin: pg.Client;
let proxy: PostgresProxy;
let store: Awaited<ReturnType<typeof openStore>>;
beforeAll(async () => {
  url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});
afterAll(() => admin?.end());
beforeEach(async () => {
  proxy = await postgresProxy(url);
  store = await openStore(proxy.url);
});
afterEach(async () => {
  await store.close();
  await proxy[Symbol.asyncDispose]();
});

const CUTS: readonly CommitFailure[] = ["before commit", "after commit"];

function events(count: number, from = 0): readonly NewEvent[] {
  return Array.from({ length: count }, (_, n) => ({ type: "custom", data: { name: `e${from + n}` } }));
}

/** This store does not use the proxy, because a statement is sent as text only the first time on a connection. */
async function appendElsewhere(logId: string, appended: readonly NewEvent[]): Promise<void> {
  await using elsewhere = await openStore(url);
  await elsewhere.append(logId, appended);
}

/** Makes the server end every connection of this store. */
async function terminate(): Promise<void> {
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
}

interface Reader {
  readonly seen: StoredEvent[];
  readonly failed: () => unknown;
  stop(): Promise<void>;
}

function follow(logId: string, types: readonly string[] = []): Reader {
  const stopping = new AbortController();
  const seen: StoredEvent[] = [];
  let failed: unknown;
  const done = (async () => {
    try {
      for await (const event of store.tail(logId, { signal: stopping.signal, types })) seen.push(event);
    } catch (error) {
      failed = error;
    }
  })();
  return {
    seen,
    failed: () => failed,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

test("a tail continues at its sequence after the server ended every connection, five times", async () => {
  const { logId } = await store.createLog();
  const readers = [follow(logId), follow(logId, ["custom"]), follow(logId)];
  for (let round = 0; round < 5; round++) {
    await store.append(logId, events(3, round * 3));
    await terminate();
  }
  for (const reader of readers) {
    await expect.poll(() => reader.seen.length, { timeout: 15_000 }).toBe(15);
    expect(reader.seen.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
    await reader.stop();
    expect(reader.failed()).toBeUndefined();
  }
});

test("a tail outlives a server that cannot be reached for a while", async () => {
  const { logId } = await store.createLog();
  await store.append(logId, events(2));
  const reader = follow(logId);
  await expect.poll(() => reader.seen.length).toBe(2);
  proxy.off();
  await using elsewhere = await openStore(url);
  await elsewhere.append(logId, events(2, 2));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(reader.failed()).toBeUndefined();
  proxy.on();
  await expect.poll(() => reader.seen.length, { timeout: 15_000 }).toBe(4);
  await reader.stop();
});

test("a tail that is opened while the server is away starts when it is back", async () => {
  const { logId } = await store.createLog();
  await store.append(logId, events(2));
  proxy.off();
  const reader = follow(logId);
  await new Promise((resolve) => setTimeout(resolve, 300));
  proxy.on();
  await expect.poll(() => reader.seen.length, { timeout: 15_000 }).toBe(2);
  await reader.stop();
});

test("a store that is closed while the server is away ends its tails", async () => {
  const { logId } = await store.createLog();
  const reader = follow(logId);
  await store.append(logId, events(1));
  await expect.poll(() => reader.seen.length).toBe(1);
  proxy.off();
  await store.close();
  await expect.poll(reader.failed).toMatchObject({ code: "unavailable", message: "the store is closed" });
});

test("a read whose connection is cut is repeated on another connection", async () => {
  const { logId } = await store.createLog();
  await store.append(logId, events(2));
  proxy.cutAt("select", "before commit", 3);
  expect((await store.read(logId)).events).toHaveLength(2);
  expect(proxy.cuts).toBe(3);
});

test.each(CUTS)("a transaction whose connection is cut %s is stored once, and acknowledged", async (cut) => {
  const { logId } = await store.createLog();
  proxy.cutAt("commit", cut);
  const also = [{ type: "cursor", name: "reader", sequence: 1 }] as const;
  const [stored] = await store.append(logId, events(1), { also });
  expect(proxy.cuts).toBe(1);
  expect((await store.read(logId)).events.map(({ id }) => id)).toEqual([stored?.id]);
});

test.each(CUTS)("an append in one statement that is cut %s is stored once, and acknowledged", async (cut) => {
  const { logId } = await store.createLog();
  await appendElsewhere(logId, events(1));
  proxy.cutAt("insert into events", cut);
  const [stored] = await store.append(logId, events(1, 1));
  expect(proxy.cuts).toBe(1);
  expect(stored?.sequence).toBe(2);
  expect((await store.read(logId)).events.map(({ id }) => id)[1]).toBe(stored?.id);
  expect(await store.latestSequence(logId)).toBe(2);
});

test("an append that repeats a stored event, and is cut, does not count as a new one", async () => {
  const { logId } = await store.createLog();
  const event = { id: "once", type: "custom", data: { name: "e" } };
  await appendElsewhere(logId, [event, ...events(1)]);
  proxy.cutAt("insert into events", "after commit");
  expect(await store.append(logId, [event])).toMatchObject([{ id: "once", sequence: 1 }]);
  expect(proxy.cuts).toBe(1);
});

test.each(CUTS)("a new session whose commit is cut %s is stored once, and acknowledged", async (cut) => {
  proxy.cutAt("commit", cut);
  const { sessionId } = await store.createSession({ title: "one" });
  expect(proxy.cuts).toBe(1);
  expect(await store.getSession(sessionId)).toMatchObject({ title: "one" });
});

test("a change without an event, whose commit is cut, reports that its outcome is unknown", async () => {
  proxy.cutAt("commit", "after commit");
  await expect(store.putClaim({ name: "claim", owner: "me", generation: 1 })).rejects.toSatisfy(
    (error) => isContinuoError(error, "unavailable") && error.details.outcome === "unknown",
  );
});

test.each(CUTS)(
  "runOnce begins its run once, and completes, although all its connections are cut %s",
  async (cut) => {
    for (let times = 1; times <= 3; times++) {
      proxy.cutAt("commit", cut, times);
      const { runId, sessionId, status } = await SessionManager.runOnce(store, new EchoAgent(), "hello");
      expect(status).toBe("completed");
      const { items } = await store.listRuns({ sessionId });
      expect(items.map((run) => [run.runId, run.status])).toEqual([[runId, "completed"]]);
      const created = await store.read(sessionId, { types: ["run_created", "run_started", "run_completed"] });
      expect(created.events.map(({ type }) => type)).toEqual(["run_created", "run_started", "run_completed"]);
    }
  },
);

test("runOnce that is called while the server is away begins when it is back", async () => {
  const { sessionId } = await SessionManager.startSession(store, {});
  proxy.off();
  const running = SessionManager.runOnce(store, new EchoAgent(), "hello", { sessionId, runId: "mine" });
  const another = SessionManager.runOnce(store, new EchoAgent(), "hello");
  await new Promise((resolve) => setTimeout(resolve, 500));
  proxy.on();
  expect(await running).toMatchObject({ runId: "mine", status: "completed" });
  expect(await another).toMatchObject({ status: "completed" });
  expect((await store.listRuns({ sessionId })).items).toHaveLength(1);
});

/**
 * Plain appends to Postgres in one statement: the tests show which appends use it, and that the others are as correct
 * as without it.
 */

import type { AppendOptions, NewEvent, StoredEvent } from "@continuo/core/model";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../packages/store/src/store/postgres/index.ts";
import { createStore, type OpenedStore } from "../../packages/store/src/store/sql-store.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

/** Reports for each append of the store whether it was one statement or a transaction. */
type Way = "fast" | "slow";

interface Watched {
  readonly store: OpenedStore;
  /** Returns these reports for the appends since the last call. */
  readonly ways: () => readonly Way[];
}

let first: Watched;
let second: Watched;

async function openWatched(url: string): Promise<Watched> {
  const engine = await openPostgres(url, { workspaceId: "w", migrate: "allowed" });
  let seen: Way[] = [];
  const store = createStore({
    ...engine,
    appendFast: async (scope, append) => {
      const stored = await engine.appendFast?.(scope, append);
      seen.push(stored === undefined ? "slow" : "fast");
      return stored;
    },
  });
  return {
    store,
    ways: () => {
      const ways = seen;
      seen = [];
      return ways;
    },
  };
}

let url: string;
beforeAll(async () => {
  url = await newPostgresDatabase();
  first = await openWatched(url);
  second = await openWatched(url);
});
afterAll(async () => {
  await first.store.close();
  await second.store.close();
});

const event = (name: string): NewEvent => ({ type: "custom", data: { name } });
const bytes = (text: string): NewEvent => ({ type: "bytes", data: new TextEncoder().encode(text) });

async function newLog(mediaType?: string): Promise<string> {
  const { store } = first;
  const { logId } = await store.createLog(mediaType === undefined ? {} : { mediaType });
  return logId;
}

/** Checks that the log holds the returned events, and that every hash is right. */
async function expectStored(logId: string, stored: readonly StoredEvent[]): Promise<void> {
  expect((await first.store.read(logId)).events).toEqual(stored);
  expect(await first.store.verify(logId)).toMatchObject({ ok: true, checkedCount: stored.length });
}

/** The transactions that stored the events after this sequence. */
async function transactionsAfter(logId: string, sequence: number): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select count(distinct xmin::text) as count from events
      where log_key = (select log_key from logs where log_id = $1) and sequence > $2`,
    [logId, sequence],
  );
  await client.end();
  return Number(rows[0].count);
}

async function code(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => "stored",
    (error: { readonly code?: unknown }) => error.code,
  );
}

describe("an append of one statement", () => {
  test("stores one event and many, of data and of bytes", async () => {
    const { store, ways } = first;
    ways();
    for (const [mediaType, make] of [
      [undefined, event],
      ["text/plain", bytes],
    ] as const) {
      const logId = await newLog(mediaType);
      const one = await store.append(logId, [make("a")]);
      const many = await store.append(logId, [make("b"), make("c")], { expectedSequence: 1 });
      expect([...one, ...many].map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
      await expectStored(logId, [...one, ...many]);
    }
    expect(ways()).toEqual(["fast", "fast", "fast", "fast"]);
  });

  test("keeps the order of appends that were called at the same time", async () => {
    const { store, ways } = first;
    const logId = await newLog();
    ways();
    const all = await Promise.all(Array.from({ length: 12 }, (_, n) => store.append(logId, [event(`${n}`)])));
    expect(all.flat().map(({ sequence, data }) => [sequence, data])).toEqual(
      Array.from({ length: 12 }, (_, n) => [n + 1, { name: `${n}` }]),
    );
    expect(ways()).toEqual(all.map(() => "fast"));
    await expectStored(logId, all.flat());
  });

  test("is shared by the appends that wait while another one is stored, up to a limit", async () => {
    const { store } = first;
    const logId = await newLog();
    const { token } = await store.acquireLease(logId, { owner: "h", ttlMs: 60_000 });
    const lease = { name: logId, token };
    await store.append(logId, [event("first")]);
    const stored = async (options: readonly AppendOptions[]): Promise<number> => {
      const before = await store.latestSequence(logId);
      await Promise.all(options.map((one, n) => store.append(logId, [event(`${n}`), event("more")], one)));
      return await transactionsAfter(logId, before);
    };
    const plain = Array.from({ length: 12 }, () => ({}));
    expect(await stored(plain)).toBe(2);
    expect(await stored(plain.map(() => ({ lease })))).toBe(2);
    // The statements: the first append, then those without a lease, those with a lease, and one that compares.
    const compared = { expectedSequence: (await store.latestSequence(logId)) + 2 * 8 };
    expect(await stored([{}, {}, {}, {}, { lease }, { lease }, { lease }, { lease }, compared])).toBe(4);
    const { events } = await store.read(logId);
    await expectStored(logId, events);
  });

  test("is stored even if an append of another event with the same id, which shares its statement, fails", async () => {
    const { store } = first;
    const logId = await newLog();
    const once = { ...event("once"), id: "once" };
    const spoiled = { ...event("another"), id: "once" };
    const sent = [event("a"), once, event("b"), spoiled, once, event("c")];
    const outcomes = await Promise.allSettled(sent.map((one) => store.append(logId, [one])));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"],
    ]);
    const { events } = await store.read(logId);
    expect(events.map(({ data }) => (data as { readonly name: string }).name).toSorted()).toEqual([
      ...["a", "b", "c", "once"],
    ]);
    await expectStored(logId, events);
  });

  test("fails after an append of another server, and is used again after that", async () => {
    const logId = await newLog();
    const a = await first.store.append(logId, [event("a")]);
    const b = await second.store.append(logId, [event("b")]);
    first.ways();
    const c = await first.store.append(logId, [event("c")]);
    const d = await first.store.append(logId, [event("d")]);
    expect(first.ways()).toEqual(["slow", "fast"]);
    await expectStored(logId, [...a, ...b, ...c, ...d]);
  });

  test("belongs to its workspace: the same id in another workspace is another log", async () => {
    const logId = await newLog();
    const other = first.store.forWorkspace("other");
    await other.createLog({ logId });
    await Promise.all([first.store.append(logId, [event("here")]), other.append(logId, [event("there")])]);
    expect((await other.read(logId)).events.map(({ data }) => data)).toEqual([{ name: "there" }]);
    expect((await first.store.read(logId)).events.map(({ data }) => data)).toEqual([{ name: "here" }]);
  });

  test("renews the time to live, and the log appears in lists of changed logs", async () => {
    const { store } = first;
    const { logId } = await store.createLog({ ttl: 1000, events: [event("a")] });
    const before = await store.getLog(logId);
    const { mark } = await store.listLogs();
    await new Promise((resolve) => setTimeout(resolve, 5));
    first.ways();
    await store.append(logId, [event("b")]);
    expect(first.ways()).toEqual(["fast"]);
    const after = await store.getLog(logId);
    expect(Date.parse(String(after?.expiresAt))).toBeGreaterThan(Date.parse(String(before?.expiresAt)));
    const { items } = await store.listLogs({ changedAfter: mark });
    expect(items.map((log) => log.logId)).toContain(logId);
  });

  test("wakes the readers of this server and of other servers", async () => {
    const logId = await newLog();
    const readers = [first, second].map(({ store }) => store.tail(logId)[Symbol.asyncIterator]());
    const heard = readers.map((reader) => reader.next());
    first.ways();
    await first.store.append(logId, [event("a")]);
    expect(first.ways()).toEqual(["fast"]);
    for (const { value } of await Promise.all(heard)) expect(value).toMatchObject({ sequence: 1 });
    for (const reader of readers) await reader.return?.();
  });

  test("is fenced by its lease", async () => {
    const { store, ways } = first;
    const logId = await newLog();
    const held = await store.acquireLease(`lease of ${logId}`, { owner: "me", ttlMs: 60_000 });
    const lease = { name: held.name, token: held.token };
    ways();
    await store.append(logId, [event("a")], { lease });
    await store.append(logId, [event("b"), event("c")], { lease });
    expect(ways()).toEqual(["fast", "fast"]);
    const wrong: readonly AppendOptions[] = [
      { lease: { ...lease, token: held.token + 1 } },
      { lease: { ...lease, token: held.token - 1 } },
      { lease: { ...lease, name: "another lease" } },
    ];
    for (const options of wrong) {
      for (const events of [[event("d")], [event("d"), event("e")]]) {
        expect(await code(store.append(logId, events, options))).toBe("fenced");
      }
    }
    expect(await code(store.forWorkspace("other").append(logId, [event("d")], { lease }))).toBe("not_found");
    expect(await store.latestSequence(logId)).toBe(3);
  });
});

describe("an append that is not plain, or whose log has changed, takes a transaction", () => {
  test("with side writes, or with blobs", async () => {
    const { store, ways } = first;
    const logId = await newLog();
    const { hash } = await store.putBlob(new Uint8Array([1]));
    ways();
    await store.append(logId, [event("a")], { also: [{ type: "cursor", name: "c", logId, sequence: 0 }] });
    await store.append(logId, [event("b")], { also: [] });
    await store.append(logId, [{ ...event("c"), blobs: [hash] }, event("d")]);
    await store.append(logId, [], { also: [{ type: "cursor", name: "c", logId, sequence: 1 }] });
    expect(ways()).toEqual(["slow", "fast", "slow", "slow"]);
    expect((await store.getCursor({ logId, name: "c" }))?.sequence).toBe(1);
    expect(await store.verify(logId)).toMatchObject({ ok: true, checkedCount: 4 });
  });

  test("to a fork, which knows its inherited ids", async () => {
    const { store, ways } = first;
    const logId = await newLog();
    await store.append(logId, [{ id: "inherited", ...event("a") }]);
    const fork = await store.forkLog(logId, 1);
    ways();
    const [repeated] = await store.append(fork.logId, [{ id: "inherited", ...event("a") }]);
    await store.append(fork.logId, [event("b")]);
    expect([ways(), repeated?.sequence, await store.latestSequence(fork.logId)]).toEqual([
      ["slow", "slow"],
      1,
      2,
    ]);
  });

  test("with a wrong expected sequence", async () => {
    const { store, ways } = first;
    const logId = await newLog();
    await store.append(logId, [event("a")]);
    ways();
    for (const expectedSequence of [0, 2]) {
      const outcome = store.append(logId, [event("b")], { expectedSequence });
      await expect(outcome).rejects.toMatchObject({ code: "conflict", details: { latestSequence: 1 } });
    }
    await second.store.append(logId, [event("b")]);
    await store.append(logId, [event("c")], { expectedSequence: 2 });
    expect(ways()).toEqual(["slow", "slow", "fast"]);
  });

  test("with an id that is already stored", async () => {
    const { store, ways } = first;
    const logId = await newLog();
    const stored = await store.append(logId, [{ id: "once", ...event("a") }]);
    ways();
    expect(await store.append(logId, [{ id: "once", ...event("a") }])).toEqual(stored);
    expect(await code(store.append(logId, [{ id: "once", ...event("b") }]))).toBe("conflict");
    await store.append(logId, [event("c")]);
    expect([ways(), await store.latestSequence(logId)]).toEqual([["slow", "slow", "fast"], 2]);
  });

  test.each([
    ["text/plain", "text/plain", bytes, "stored", "fast"],
    ["text/plain", "text/html", bytes, "conflict", "slow"],
    ["text/plain", undefined, event, "invalid", "slow"],
    [undefined, undefined, bytes, "invalid", "slow"],
  ] as const)("to a log of %s as %s", async (mediaType, given, make, outcome, way) => {
    const { store, ways } = first;
    const logId = await newLog(mediaType);
    ways();
    const options = given === undefined ? {} : { mediaType: given };
    expect(await code(store.append(logId, [make("a")], options))).toBe(outcome);
    expect(ways()).toEqual([way]);
  });

  test.each([
    ["closed", "log_closed", (logId: string) => second.store.closeLog(logId)],
    ["deleted", "not_found", (logId: string) => second.store.deleteLog(logId)],
    [
      "deleted but kept for a fork",
      "gone",
      async (logId: string) => {
        await second.store.forkLog(logId, 1);
        await second.store.deleteLog(logId);
      },
    ],
  ] as const)("to a log that another server has %s", async (_what, expected, change) => {
    const { store, ways } = first;
    const logId = await newLog();
    await store.append(logId, [event("a")]);
    await change(logId);
    ways();
    expect(await code(store.append(logId, [event("b")]))).toBe(expected);
    expect(ways()).toEqual(["slow"]);
  });

  test("to a log that has expired, or that never existed", async () => {
    const { store, ways } = first;
    const { logId } = await store.createLog({ ttl: 0.02 });
    while ((await store.getLog(logId)) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
    ways();
    expect(await code(store.append(logId, [event("a")]))).toBe("not_found");
    expect(await code(store.append("no such log", [event("a")]))).toBe("not_found");
    expect(ways()).toEqual(["slow", "slow"]);
  });
});

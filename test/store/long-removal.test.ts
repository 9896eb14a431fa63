/**
 * Long logs are removed, and lose payloads, page by page. The tests count the work between two turns of the event loop.
 */

import type { ContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import type { OpenedStore } from "../../packages/store/src/store/sql-store.ts";

const EVENTS = 5_000;
/** Events that one transaction removes. */
const PAGE = 500;
let nowMs = 0;
let store: OpenedStore;

beforeEach(async () => {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  store = await openStore("memory:", { now: () => nowMs });
  await store.createSession({ sessionId: "long" });
  for (let at = 1; at <= EVENTS; at += 1_000)
    await store.append(
      "long",
      Array.from({ length: 1_000 }, (_, n) => ({
        type: "x",
        data: at + n,
        retention: (at + n) % 5 === 0 ? "supplementary" : "critical",
      })),
    );
  return () => store.close();
});

function rowsOf(table: string): Promise<number> {
  return store.engine.read(function* () {
    const rows = yield { sql: `select count(*) as n from ${table}`, parameters: [] };
    return Number((rows[0] as { readonly n: number }).n);
  });
}

/** The number of event rows after each transaction, which runs in one turn of the event loop. */
async function rowsAfterEach(
  run: () => Promise<unknown>,
  look: (transactions: number) => Promise<void> = async () => undefined,
): Promise<readonly number[]> {
  const { write } = store.engine;
  const counts: number[] = [];
  const counted: typeof write = async (rule, signal) => {
    const value = await write(function* (tx) {
      const result = yield* rule(tx);
      const rows = yield { sql: "select count(*) as n from events", parameters: [] };
      counts.push(Number((rows[0] as { readonly n: number }).n));
      return result;
    }, signal);
    await look(counts.length);
    return value;
  };
  Object.assign(store.engine, { write: counted });
  try {
    await run();
    return counts;
  } finally {
    Object.assign(store.engine, { write });
  }
}

test("a long session disappears at once, its events are removed page by page, and its id is free at the end", async () => {
  const codes: string[] = [];
  const counts = await rowsAfterEach(
    () => store.deleteSession("long"),
    async () => {
      const error = await store.read("long").catch((cause: ContinuoError) => cause);
      codes.push((error as ContinuoError).code);
    },
  );
  const pages = Array.from({ length: EVENTS / PAGE }, (_, page) => EVENTS + 1 - (page + 1) * PAGE);
  expect(counts).toEqual([EVENTS + 1, ...pages, 0, 0]);
  expect(codes).toEqual([...Array.from({ length: counts.length - 1 }, () => "gone"), "not_found"]);
  expect([await rowsOf("events"), await rowsOf("logs")]).toEqual([0, 0]);
  expect((await store.listDeletedLogs()).items).toMatchObject([
    { logId: "long", latestSequence: EVENTS + 1 },
  ]);
});

test("if a process is killed while it removes a long log, removeExpired removes the rest of the log", async () => {
  const { write } = store.engine;
  // The process is killed after the first page.
  let writes = 0;
  Object.assign(store.engine, {
    write: (...given: Parameters<typeof write>) => {
      if (++writes > 2) throw new Error("killed");
      return write(...given);
    },
  });
  await expect(store.deleteLog("long")).rejects.toThrow("killed");
  Object.assign(store.engine, { write });
  expect([await rowsOf("events"), await rowsOf("logs")]).toEqual([EVENTS + 1 - PAGE, 1]);
  expect(await store.removeExpired()).toBe(0);
  expect([await rowsOf("events"), await rowsOf("logs")]).toEqual([0, 0]);
});

test("a long log that was deleted stays as long as a fork reads from it, and is removed after the last fork has expired", async () => {
  await store.forkLog("long", EVENTS, { newLogId: "fork", expiresAt: new Date(nowMs + 1_000).toISOString() });
  await store.deleteLog("long");
  expect(await store.removeExpired()).toBe(0);
  expect(await rowsOf("events")).toBeGreaterThanOrEqual(EVENTS);
  nowMs += 2_000;
  expect(await store.removeExpired()).toBe(1);
  // Until now the deleted log was kept for the fork. The next call removes its events.
  expect(await store.removeExpired()).toBe(0);
  expect([await rowsOf("events"), await rowsOf("logs")]).toEqual([0, 0]);
});

test("prune removes exactly the payloads that were asked for, even in a long log", async () => {
  expect(await store.prune("long", { reason: "old", before: 4_002 })).toEqual({ pruned: 800 });
  expect(await store.prune("long", { reason: "old", sequences: [4_501, 4_502, 4_506] })).toEqual({
    pruned: 2,
  });
  expect(await store.prune("long", { reason: "old" })).toEqual({ pruned: 198 });
  const { events } = await store.read("long", { limit: 10_000 });
  const pruned = events.filter((event) => event.pruned !== undefined);
  expect(pruned.length).toBe(1_000);
  expect(pruned.every(({ retention }) => retention === "supplementary")).toBe(true);
});

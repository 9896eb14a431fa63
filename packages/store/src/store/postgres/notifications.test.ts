import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Changes, LIMITS } from "../engine/index.ts";
import { Notifications } from "./notifications.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Notices on a database that answers as `answer` says, and to which nobody can listen. */
function openNotices(answer: (query: Query) => readonly unknown[] = () => []) {
  const asked: Query[] = [];
  const pool = {
    query: async ({ text, values }: Query) => {
      asked.push({ text, values });
      return { rows: answer({ text, values }) };
    },
  } as unknown as pg.Pool;
  const changes = new Changes((watching) => notices.watch(watching));
  const notices: Notifications = new Notifications(pool, {
    url: "postgres://127.0.0.1:1/none",
    node: "me",
    changes: () => changes,
  });
  return { notices, changes, asked };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function after(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await settled();
}

function notice(keys: string): Query {
  return { text: "select pg_notify($1, $2)", values: ["continuo_changes", `me:${keys}`] };
}

test("changes within a short time make one notification, which names each log once", async () => {
  const { notices, asked } = openNotices();
  notices.tell(new Set());
  notices.tell(new Set([1, 2]));
  await after(LIMITS.notifyMs - 1);
  notices.tell(new Set([2, 3]));
  expect(asked).toEqual([]);
  await after(1);
  expect(asked).toEqual([notice("1,2,3")]);
  await after(LIMITS.notifyMs);
  expect(asked.length).toBe(1);
  notices.tell(new Set([1]));
  await after(LIMITS.notifyMs);
  expect(asked.slice(1)).toEqual([notice("1")]);
});

test("without a change nothing is sent", async () => {
  const { notices, asked } = openNotices();
  notices.tell(new Set());
  expect(vi.getTimerCount()).toBe(0);
  await notices.close();
  expect(asked).toEqual([]);
});

test("closed notifications poll no more, even if somebody still watches", async () => {
  const { notices, asked } = openNotices();
  notices.watch(1);
  expect(vi.getTimerCount()).toBe(1);
  await notices.close();
  // Timers are not counted: the sockets of an earlier file of this worker may have some.
  await after(2 * LIMITS.postgresPollMs);
  expect(asked).toEqual([]);
});

test("many logs are several notifications, each of which Postgres accepts", async () => {
  const { notices, asked } = openNotices();
  const keys = Array.from({ length: 801 }, (_, n) => 10_000_000_000_000 + n);
  notices.tell(new Set(keys));
  await after(LIMITS.notifyMs);
  const told = asked.map(({ values }) => String(values[1]));
  expect(told.flatMap((text) => text.slice("me:".length).split(",").map(Number))).toEqual(keys);
  expect(told.length).toBe(3);
  for (const text of told) expect(text.length).toBeLessThan(8_000);
});

test("pending notifications are sent when the store is closed, and a refusal of the database is no error", async () => {
  const { notices, asked } = openNotices(() => {
    throw new Error("no answer");
  });
  notices.tell(new Set([7]));
  await notices.close();
  await after(2 * Math.max(LIMITS.notifyMs, LIMITS.postgresPollMs));
  expect(asked).toEqual([notice("7")]);
});

test("while a log is watched, polling finds changes without a notification", async () => {
  let heads: Readonly<Record<number, number>> = { 1: 5, 2: 5 };
  const { changes, notices, asked } = openNotices(({ values }) =>
    (values[0] as readonly number[])
      .filter((key) => key in heads)
      .map((key) => ({ log_key: key, head_sequence: heads[key], closed_at: null, deleted_at: null })),
  );
  const watchers = [changes.watch(1), changes.watch(2), changes.watch(3)];
  const heard: number[] = [];
  for (const watcher of watchers) {
    void (async () => {
      for (;;) {
        await watcher.changed();
        heard.push(watcher.logKey);
      }
    })();
  }
  /** Returns the keys that one poll reports. */
  const poll = async (): Promise<readonly number[]> => {
    heard.length = 0;
    await after(LIMITS.postgresPollMs);
    return [...heard].sort();
  };
  // Nothing is known before the first look.
  expect(await poll()).toEqual([1, 2, 3]);
  expect(asked[0]?.values).toEqual([[1, 2, 3]]);
  expect(await poll()).toEqual([]);
  heads = { 1: 5, 2: 6 };
  expect(await poll()).toEqual([2]);
  heads = { 2: 6, 3: 1 };
  expect(await poll()).toEqual([1, 3]);
  expect(await poll()).toEqual([]);
  for (const watcher of watchers) watcher.close();
  const before = asked.length;
  await after(LIMITS.postgresPollMs);
  expect(asked.length).toBe(before);
  await notices.close();
});

test("all watchers read by themselves if the database does not answer a poll", async () => {
  const { changes, notices } = openNotices(() => {
    throw new Error("no answer");
  });
  const watchers = [changes.watch(1), changes.watch(2)];
  const waiting = watchers.map((watcher) => watcher.changed());
  await after(LIMITS.postgresPollMs);
  await Promise.all(waiting);
  for (const watcher of watchers) watcher.close();
  await notices.close();
});

import { expect, test } from "vitest";
import { Changes, noteAppended, noteChanged, type Watcher } from "./changes.ts";
import { LIMITS } from "./limits.ts";
import type { AppendedRows, EventRow } from "./work.ts";

function rowOf(sequence: number, payload = "1"): EventRow {
  const [at, hash] = ["2026-11-28T00:00:00.000Z", "0"];
  return [
    1,
    sequence,
    `e${sequence}`,
    "a",
    null,
    "{}",
    null,
    at,
    at,
    0,
    payload,
    null,
    hash,
    hash,
    null,
    null,
  ];
}

function noChanges() {
  const appended: AppendedRows = new Map();
  return { changed: new Set<number>(), appended };
}

function openChanges() {
  const counts: number[] = [];
  return { changes: new Changes((watching) => counts.push(watching)), counts };
}

/** Returns true if the watcher has heard of a change by now. */
async function hears(waiting: Promise<void>): Promise<boolean> {
  let heard = false;
  void waiting.then(() => {
    heard = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return heard;
}

function wait(...watchers: readonly Watcher[]): Promise<boolean[]> {
  const { signal } = new AbortController();
  return Promise.all(watchers.map((watcher) => hears(watcher.changed(signal))));
}

test("only the watchers of a changed log are woken", async () => {
  const { changes } = openChanges();
  const watchers = [1, 2, 1].map((key) => changes.watch(key));
  changes.tell([1, 3]);
  expect(await wait(...watchers)).toEqual([true, false, true]);
});

test("a change wakes a watcher once, however often it was announced, even if nobody waited at that time", async () => {
  const { changes } = openChanges();
  const watcher = changes.watch(1);
  const waiting = watcher.changed();
  expect(await hears(waiting)).toBe(false);
  changes.tell([1]);
  await waiting;
  expect(await wait(watcher)).toEqual([false]);
  changes.tell([1]);
  changes.tell([1]);
  await watcher.changed();
  expect(await wait(watcher)).toEqual([false]);
});

test("all watchers are woken if it is unknown what changed, and when the store is closed", async () => {
  const { changes } = openChanges();
  const watchers = [changes.watch(1), changes.watch(2)];
  changes.tellAll();
  expect(await wait(...watchers)).toEqual([true, true]);
  changes.close();
  expect(await wait(...watchers)).toEqual([true, true]);
});

test("a closed watcher is not woken, and its log is no longer watched", async () => {
  const { changes } = openChanges();
  const watchers = [changes.watch(1), changes.watch(2), changes.watch(2)];
  expect([...changes.watched()]).toEqual([1, 2]);
  watchers[0]?.close();
  watchers[1]?.close();
  expect([...changes.watched()]).toEqual([2]);
  changes.tell([1, 2]);
  expect(await wait(...watchers)).toEqual([false, false, true]);
});

test("polling knows the number of watchers, and stops when the store is closed", () => {
  const { changes, counts } = openChanges();
  const first = changes.watch(1);
  const second = changes.watch(1);
  first.close();
  changes.close();
  second.close();
  changes.watch(3);
  expect(counts).toEqual([1, 2, 1, 0]);
});

test("a wait that is aborted rejects with the reason, and misses no change", async () => {
  const { changes } = openChanges();
  const watcher = changes.watch(1);
  const aborting = new AbortController();
  const waiting = watcher.changed(aborting.signal);
  aborting.abort(new Error("no longer needed"));
  await expect(waiting).rejects.toThrow("no longer needed");
  await expect(watcher.changed(aborting.signal)).rejects.toThrow("no longer needed");
  changes.tell([1]);
  await expect(watcher.changed(aborting.signal)).rejects.toThrow("no longer needed");
  expect(await wait(watcher)).toEqual([true]);
});

test("a wait that ended no longer listens to its signal", async () => {
  const { changes } = openChanges();
  const watcher = changes.watch(1);
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const counted = {
    aborted: false,
    addEventListener: (_: string, listener: unknown) => listeners.add(listener),
    removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
  } as unknown as typeof signal;
  const waiting = watcher.changed(counted);
  expect(listeners.size).toBe(1);
  changes.tell([1]);
  await waiting;
  expect(listeners.size).toBe(0);
});

test("a watcher is given the rows that were appended since it last took them, once and in their order", () => {
  const { changes } = openChanges();
  const [watcher, other] = [changes.watch(1), changes.watch(2)];
  for (const sequence of [1, 2]) {
    const noted = noChanges();
    noteAppended(noted, 1, [rowOf(sequence)]);
    changes.tell(noted.changed, noted.appended);
  }
  expect(watcher.takeRows()).toEqual([rowOf(1), rowOf(2)]);
  expect(watcher.takeRows()).toEqual([]);
  expect(other.takeRows()).toEqual([]);
});

test("a watcher must read if its log also changed in another way, before or after its rows, or in an unknown way", () => {
  const { changes } = openChanges();
  const watcher = changes.watch(1);
  const append = (noted: ReturnType<typeof noChanges>): void => noteAppended(noted, 1, [rowOf(1)]);
  const change = (noted: ReturnType<typeof noChanges>): void => noteChanged(noted, 1);
  for (const steps of [
    [change, append],
    [append, change],
  ]) {
    const noted = noChanges();
    for (const step of steps) step(noted);
    changes.tell(noted.changed, noted.appended);
    expect(watcher.takeRows()).toBeNull();
  }
  for (const tell of [() => changes.tell([1]), () => changes.tellAll()]) {
    tell();
    changes.tell([1], new Map([[1, [rowOf(2)]]]));
    expect(watcher.takeRows()).toBeNull();
  }
});

test("only a few rows are kept for a watcher that does not take them", () => {
  const { changes } = openChanges();
  const watcher = changes.watch(1);
  const tell = (rows: readonly EventRow[]): void => changes.tell([1], new Map([[1, rows]]));
  const rows = Array.from({ length: LIMITS.announcedRows }, (_, n) => rowOf(n));
  tell(rows);
  expect(watcher.takeRows()).toEqual(rows);
  tell(rows);
  tell([rowOf(0)]);
  expect(watcher.takeRows()).toBeNull();
  tell([rowOf(0, "x".repeat(LIMITS.announcedChars + 1))]);
  expect(watcher.takeRows()).toBeNull();
});

import { expect, test } from "vitest";
import { Changes, type Watcher } from "./changes.ts";

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

test("only those who watch a changed log hear of it", async () => {
  const { changes } = openChanges();
  const watchers = [1, 2, 1].map((key) => changes.watch(key));
  changes.tell([1, 3]);
  expect(await wait(...watchers)).toEqual([true, false, true]);
});

test("a change is heard once, however often it was announced, and also when nobody waited for it", async () => {
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

test("all hear when nobody knows what changed, and when the store is closed", async () => {
  const { changes } = openChanges();
  const watchers = [changes.watch(1), changes.watch(2)];
  changes.tellAll();
  expect(await wait(...watchers)).toEqual([true, true]);
  changes.close();
  expect(await wait(...watchers)).toEqual([true, true]);
});

test("one that was closed hears nothing, and is watched no longer", async () => {
  const { changes } = openChanges();
  const watchers = [changes.watch(1), changes.watch(2), changes.watch(2)];
  expect([...changes.watched()]).toEqual([1, 2]);
  watchers[0]?.close();
  watchers[1]?.close();
  expect([...changes.watched()]).toEqual([2]);
  changes.tell([1, 2]);
  expect(await wait(...watchers)).toEqual([false, false, true]);
});

test("polling learns how many watch, and stops when the store is closed", () => {
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

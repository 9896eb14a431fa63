import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "../context/index.ts";
import { liveBatches } from "./batches.ts";

const LOG = "streams/log";
const EVENTS = 3;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ["at once", 0],
  ["after it took nothing for a while", 2 * LIMITS.slowMs],
])("a reader that takes a batch %s gets every record once and in order", async (_, pauseMs) => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG });
  const add = async (n: number) => await store.append(LOG, [{ type: "note", data: { n } }]);
  const batches = liveBatches(store, LOG, { after: 0, signal: new AbortController().signal });
  const taken: unknown[] = [];
  const takeNext = async (): Promise<void> => {
    const { value } = await batches.next();
    if (value === undefined) throw new Error("the batches ended");
    taken.push(...value.take().map(({ data }) => (data as { readonly n: number }).n));
  };
  await takeNext();
  for (let n = 1; n <= EVENTS; n++) {
    await add(n);
    while (!taken.includes(n)) await takeNext();
    await vi.advanceTimersByTimeAsync(pauseMs);
  }
  expect(taken).toEqual([1, 2, 3]);
  await batches.return();
});

test("a record that is appended while a page is read, just before its log is closed, is not lost", async () => {
  await using memory = await openStore("memory:");
  await memory.createLog({ logId: LOG });
  let isClosed = false;
  const store: Store = {
    ...memory,
    read: async (...given) => {
      const page = await memory.read(...given);
      if (isClosed) return page;
      isClosed = true;
      await memory.append(LOG, [{ type: "note", data: {} }]);
      await memory.closeLog(LOG);
      return page;
    },
  };
  const taken: number[] = [];
  for await (const batch of liveBatches(store, LOG, { after: 0, signal: new AbortController().signal }))
    taken.push(...batch.take().map(({ sequence }) => sequence));
  expect(taken).toEqual([1]);
});

test.each([
  ["records", LIMITS.sseEvents + 200, 1, LIMITS.sseEvents],
  ["bytes", 5, LIMITS.sseBytes / 2, 2],
])("records that arrive together are a batch with a limit of %s", async (_, records, sizeBytes, most) => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, mediaType: "text/plain" });
  const batches = liveBatches(store, LOG, { after: 0, signal: new AbortController().signal });
  await batches.next();
  const data = Buffer.alloc(sizeBytes, "x");
  await store.append(
    LOG,
    Array.from({ length: records }, () => ({ type: "bytes", data })),
  );
  const sizes: number[] = [];
  for (let left = records; left > 0; left -= sizes.at(-1) ?? 0) {
    const { value } = await batches.next();
    sizes.push(value?.take().length ?? 0);
  }
  expect(Math.max(...sizes)).toBe(most);
  await batches.return();
});

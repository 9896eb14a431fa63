import { ContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { openStore } from "../store/index.ts";
import { adapterSession, blobOf, FoldedLog, keepBytes, keptBytes } from "./index.ts";

const sumOptions = {
  initial: (): { sum: number; events: number } => ({ sum: 0, events: 0 }),
  apply: (state: { sum: number; events: number }, { type, data }: StoredEvent): void => {
    state.events++;
    if (type === "number") state.sum += (data as { readonly value: number }).value;
  },
};

function number(value: number): { readonly type: string; readonly data: { readonly value: number } } {
  return { type: "number", data: { value } };
}

test("a session is created by its first append, and an unknown session is empty", async () => {
  await using store = await openStore("memory:");
  const session = adapterSession(store, "orders", { agent: "shop", title: "Orders" });
  expect(await session.read()).toEqual({ events: [], nextAfter: null });
  expect(await store.getSession("orders")).toBeNull();
  await session.append([number(1)]);
  expect(await store.getSession("orders")).toMatchObject({ agent: "shop", title: "Orders" });
  expect((await session.read({ types: ["number"] })).events.map(({ data }) => data)).toEqual([{ value: 1 }]);
});

test("each change is decided on everything that is stored, even if several processes make changes", async () => {
  await using store = await openStore("memory:");
  const logs = [1, 2, 3].map(() => new FoldedLog(adapterSession(store, "sum"), sumOptions));
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      logs[at % 3]?.change(({ sum }) => ({ events: [number(sum + 1)], result: sum })),
    ),
  );
  // Each number is one more than the sum before it, so that no two decisions saw the same sum.
  expect(new Set(results).size).toBe(30);
  for (const log of logs) expect(await log.read(({ sum }) => sum)).toBe(2 ** 30 - 1);
});

test("a change that throws appends nothing, and the next one is decided on the stored events", async () => {
  await using store = await openStore("memory:");
  const log = new FoldedLog(adapterSession(store, "sum"), sumOptions);
  await log.change(() => ({ events: [number(1)], result: null }));
  const refused = log.change(() => {
    throw new ContinuoError("conflict", "not like this");
  });
  await expect(refused).rejects.toThrow("not like this");
  await log.change(() => ({ events: [number(2)], result: null }));
  expect(await log.read(({ sum }) => sum)).toBe(3);
});

test("a log that was deleted and made again is folded from its beginning", async () => {
  await using store = await openStore("memory:");
  const log = new FoldedLog(adapterSession(store, "sum"), sumOptions);
  await log.change(() => ({ events: [number(1), number(2)], result: null }));
  await store.deleteSession("sum");
  expect(await log.read(({ sum }) => sum)).toBe(0);
  const other = new FoldedLog(adapterSession(store, "sum"), sumOptions);
  await other.change(() => ({ events: [number(10), number(20), number(30)], result: null }));
  expect(await log.read(({ sum, events }) => [sum, events])).toEqual([60, 4]);
});

test("an append whose answer is lost is stored once", async () => {
  await using store = await openStore("memory:");
  const lossy = losingFirstAnswer(store);
  const log = new FoldedLog(adapterSession(lossy, "sum"), sumOptions);
  await log.change(() => ({ events: [number(5)], result: null }));
  expect(await log.read(({ sum }) => sum)).toBe(5);
});

/** The first append that is carried out has no answer, as when a connection breaks. */
function losingFirstAnswer(store: Store): Store {
  let isLost = false;
  return new Proxy(store, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      if (key !== "append") return value.bind(target);
      return async (...args: Parameters<Store["append"]>) => {
        const stored = await target.append(...args);
        if (isLost) return stored;
        isLost = true;
        throw new ContinuoError("unavailable", "the connection was lost");
      };
    },
  });
}

test("a few bytes are stored in the event, many in a blob that the event refers to", async () => {
  await using store = await openStore("memory:");
  const few = await keepBytes(store, "json", Buffer.from('{"a":"ä"}'));
  expect(few).toEqual({ type: "json", text: '{"a":"ä"}' });
  const binary = Uint8Array.from([0, 255, 128]);
  const raw = await keepBytes(store, "bytes", binary);
  expect(blobOf(raw)).toEqual([]);
  expect([...(await keptBytes(store, raw))]).toEqual([...binary]);
  const many = new Uint8Array(300_000).fill(7);
  const kept = await keepBytes(store, "bytes", many);
  expect(blobOf(kept)).toHaveLength(1);
  expect(Buffer.compare(await keptBytes(store, kept), many)).toBe(0);
});

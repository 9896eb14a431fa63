/** Cases that Mastra's public suite has and the random calls do not reach, on the three engines of the store. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ContinuoMemoryStorage } from "../../packages/mastra/src/index.ts";
import { newEngines } from "../langgraph/engines.ts";

const engines = newEngines();
beforeAll(() => engines.start());
afterAll(() => engines.end());

const times = { createdAt: new Date("2026-01-01"), updatedAt: new Date("2026-01-01") };
const orders = {
  id: "orders",
  resourceId: "ann",
  title: "Orders 'of' \"Ann\" 🎉",
  metadata: { a: [1] },
  ...times,
};

function message(id: string, text: string, threadId = "orders") {
  return {
    id,
    threadId,
    resourceId: "ann",
    role: "user" as const,
    createdAt: new Date("2026-01-02"),
    content: { format: 2 as const, parts: [{ type: "text" as const, text }], content: text },
  };
}

describe.each(["memory", "sqlite", "postgres"] as const)("a memory of Mastra on %s", (engine) => {
  test("returns a thread as it was saved, only to its owner", async () => {
    const store = engines.open(engine);
    const memory = new ContinuoMemoryStorage(store);
    expect(await memory.saveThread({ thread: orders })).toEqual(orders);
    const other = new ContinuoMemoryStorage(store);
    expect(await other.getThreadById({ threadId: "orders" })).toEqual(orders);
    expect(await other.getThreadById({ threadId: "orders", resourceId: "ben" })).toBeNull();
    expect(
      await new ContinuoMemoryStorage(store, { sessionId: "other" }).getThreadById({ threadId: "orders" }),
    ).toBeNull();
  });

  test("keeps every change of metadata that processes make at the same time", async () => {
    const store = engines.open(engine);
    const memories = [1, 2, 3].map(() => new ContinuoMemoryStorage(store));
    await memories[0]?.saveThread({ thread: { ...orders, metadata: { sum: 0 } } });
    const add = (place: number) =>
      memories[place % 3]?.updateThreadMetadata({
        id: "orders",
        update: ({ metadata }) => ({ sum: Number(metadata?.sum) + 1 }),
      });
    await Promise.all(Array.from({ length: 15 }, (_, place) => add(place)));
    expect((await memories[1]?.getThreadById({ threadId: "orders" }))?.metadata).toEqual({ sum: 15 });
  });

  test("says that a thread was updated when one of its messages is saved, changed, moved or deleted", async () => {
    const memory = new ContinuoMemoryStorage(engines.open(engine));
    await memory.saveThread({ thread: orders });
    await memory.saveThread({ thread: { ...orders, id: "second" } });
    let before = times.updatedAt;
    const changes = [
      () => memory.saveMessages({ messages: [message("m", '{"a": 1}')] }),
      () => memory.updateMessages({ messages: [{ id: "m", role: "assistant" }] }),
      () => memory.updateMessages({ messages: [{ id: "m", threadId: "second" }] }),
      () => memory.updateMessages({ messages: [{ id: "m", threadId: "orders" }] }),
      () => memory.deleteMessages(["m"]),
    ];
    for (const change of changes) {
      await change();
      const thread = await memory.getThreadById({ threadId: "orders" });
      expect(thread?.updatedAt.getTime()).toBeGreaterThan(before.getTime());
      before = thread?.updatedAt ?? before;
    }
    expect((await memory.getThreadById({ threadId: "second" }))?.updatedAt).not.toEqual(times.updatedAt);
  });

  test("gives a thread and its messages to another owner", async () => {
    const memory = new ContinuoMemoryStorage(engines.open(engine));
    await memory.saveThread({ thread: orders });
    await memory.saveMessages({ messages: [message("m", "one"), message("n", "two")] });
    const moved = await memory.updateThreadResourceId({ threadId: "orders", resourceId: "ben" });
    expect(moved).toMatchObject({ resourceId: "ben", createdAt: times.createdAt });
    expect((await memory.listMessagesByResourceId({ resourceId: "ann" })).total).toBe(0);
    expect((await memory.listMessagesByResourceId({ resourceId: "ben" })).total).toBe(2);
  });

  test("returns copies, so that a caller's changes do not change the memory", async () => {
    const memory = new ContinuoMemoryStorage(engines.open(engine));
    await memory.saveThread({ thread: orders });
    const thread = await memory.getThreadById({ threadId: "orders" });
    Object.assign(thread?.metadata?.a as object, { 1: 2 });
    expect((await memory.getThreadById({ threadId: "orders" }))?.metadata).toEqual({ a: [1] });
  });

  test("is one session of the store, and is empty after it was cleared", async () => {
    const store = engines.open(engine);
    const memory = new ContinuoMemoryStorage(store);
    await memory.dangerouslyClearAll();
    await memory.saveThread({ thread: orders });
    await memory.saveResource({ resource: { id: "ann", workingMemory: "likes plums", ...times } });
    const { items } = await store.listSessions({ agent: "mastra" });
    expect(items.map(({ sessionId }) => sessionId)).toEqual(["mastra-memory"]);
    await memory.dangerouslyClearAll();
    expect(await memory.getThreadById({ threadId: "orders" })).toBeNull();
    expect(await memory.getResourceById({ resourceId: "ann" })).toBeNull();
  });

  test("refuses to change or copy a missing thread, and to copy onto an existing one", async () => {
    const memory = new ContinuoMemoryStorage(engines.open(engine));
    await expect(memory.updateThread({ id: "none", title: "None" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(memory.cloneThread({ sourceThreadId: "none" })).rejects.toMatchObject({ code: "not_found" });
    await memory.saveThread({ thread: orders });
    const onto = memory.cloneThread({ sourceThreadId: "orders", newThreadId: "orders" });
    await expect(onto).rejects.toMatchObject({ code: "conflict" });
  });
});

/**
 * The contract of `BaseStore`: a memory of Continuo, on three engines, gives the same answers to the same calls as
 * LangGraph's own memory.
 */

import { type BaseStore, InMemoryStore, InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ContinuoMemory } from "../../packages/langgraph/src/index.ts";
import { newEngines } from "./engines.ts";

const engines = newEngines();
beforeAll(() => engines.start());
afterAll(() => engines.end());

/** Makes the same calls to any memory. Returns its answers without times and scores, which may differ. */
async function answers(memory: BaseStore): Promise<unknown[]> {
  const told: unknown[] = [];
  const tell = (value: unknown): void => {
    const plain = JSON.stringify(value, (key, one) =>
      /^(created|updated)At$|^score$/u.test(key) ? undefined : one,
    );
    told.push(JSON.parse(plain ?? "null"));
  };
  await memory.put(["people", "ada"], "food", { likes: "plums", rank: 2 });
  await memory.put(["people", "ada"], "city", { name: "London", rank: 5, since: null });
  await memory.put(["people", "grace"], "food", { likes: "figs", rank: 3 });
  await memory.put(["docs", "v1"], "intro", { nested: { deep: [1, { two: "2" }] } });
  tell(await memory.get(["people", "ada"], "food"));
  tell(await memory.get(["people", "ada"], "none"));
  tell(await memory.get(["people"], "food"));
  tell(await memory.search(["people"]));
  tell(await memory.search([]));
  tell(await memory.search(["people"], { filter: { likes: "figs" } }));
  for (const filter of [
    { rank: { $gt: 2 } },
    { rank: { $gte: 2, $lt: 5 } },
    { rank: { $ne: 3 } },
    { likes: { $in: ["figs", "nuts"] } },
    { likes: { $nin: ["figs"] } },
    { rank: { $lte: 3 } },
    { since: { $eq: null } },
  ])
    tell(await memory.search(["people"], { filter }));
  tell(await memory.search(["people"], { limit: 1, offset: 1 }));
  tell(await memory.search(["peop"]));
  tell(await memory.listNamespaces());
  tell(await memory.listNamespaces({ prefix: ["people"] }));
  tell(await memory.listNamespaces({ prefix: ["*", "ada"] }));
  tell(await memory.listNamespaces({ suffix: ["v1"] }));
  tell(await memory.listNamespaces({ maxDepth: 1 }));
  tell(await memory.listNamespaces({ limit: 1, offset: 1 }));
  await memory.put(["people", "ada"], "food", { likes: "pears" });
  tell(await memory.search(["people"]));
  await memory.delete(["people", "ada"], "food");
  await memory.delete(["people", "ada"], "never there");
  tell(await memory.get(["people", "ada"], "food"));
  tell(await memory.search(["people", "ada"]));
  tell(
    await memory.batch([
      { namespace: ["people", "ada"], key: "city" },
      { namespace: ["people", "grace"], key: "food", value: { likes: "dates" } },
      { namespace: ["people", "grace"], key: "food", value: { likes: "limes" } },
      { namespacePrefix: ["people", "grace"], limit: 5 },
      { matchConditions: [], limit: 10, offset: 0 },
    ]),
  );
  tell(await memory.get(["people", "grace"], "food"));
  return told;
}

describe.each(["memory", "sqlite", "postgres"] as const)("a memory on %s", (engine) => {
  test("answers each call as LangGraph's own memory does", async () => {
    expect(await answers(new ContinuoMemory(engines.open(engine)))).toEqual(
      await answers(new InMemoryStore()),
    );
  });

  test("gives the same answers through a second memory on the store, even while both write", async () => {
    const store = engines.open(engine);
    const [one, other] = [new ContinuoMemory(store), new ContinuoMemory(store)];
    const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`);
    await Promise.all(keys.map((key, at) => (at % 2 === 0 ? one : other).put(["shared"], key, { at })));
    const found = await other.search(["shared"], { limit: 100 });
    expect(found.map(({ key }) => key).sort()).toEqual(keys.toSorted());
    expect(await one.search(["shared"], { limit: 100 })).toEqual(found);
    expect(await new ContinuoMemory(store).search(["shared"], { limit: 100 })).toEqual(found);
  });

  test("stores the times at which an item was created and last changed", async () => {
    const memory = new ContinuoMemory(engines.open(engine));
    await memory.put(["times"], "key", { at: 1 });
    const first = await memory.get(["times"], "key");
    await memory.put(["times"], "key", { at: 2 });
    const second = await memory.get(["times"], "key");
    expect(second?.createdAt).toEqual(first?.createdAt);
    expect(Number(second?.updatedAt)).toBeGreaterThanOrEqual(Number(first?.updatedAt));
    expect(second?.createdAt).toBeInstanceOf(Date);
  });

  test("returns copies, so that a caller's changes of an item do not change the memory", async () => {
    const memory = new ContinuoMemory(engines.open(engine));
    await memory.put(["copies"], "key", { list: [1] });
    const item = await memory.get(["copies"], "key");
    item?.value.list.push(2);
    expect((await memory.get(["copies"], "key"))?.value).toEqual({ list: [1] });
  });

  test("stores a batch whole or not at all", async () => {
    const memory = new ContinuoMemory(engines.open(engine));
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    const batch = memory.batch([
      { namespace: ["batch"], key: "good", value: { fine: true } },
      { namespace: ["batch"], key: "bad", value: circle },
    ]);
    await expect(batch).rejects.toThrow();
    expect(await memory.get(["batch"], "good")).toBeNull();
  });

  test("is one session of the store, and is empty after that session was deleted", async () => {
    const store = engines.open(engine);
    const memory = new ContinuoMemory(store);
    await memory.put(["gone"], "key", { at: 1 });
    const { items } = await store.listSessions({ agent: "langgraph" });
    expect(items.map(({ sessionId }) => sessionId)).toEqual(["langgraph-memory"]);
    await store.deleteSession("langgraph-memory");
    expect(await memory.search(["gone"])).toEqual([]);
    await memory.put(["gone"], "other", { at: 2 });
    expect((await memory.search(["gone"])).map(({ key }) => key)).toEqual(["other"]);
  });

  test("refuses a search by meaning, and names that LangGraph refuses", async () => {
    const memory = new ContinuoMemory(engines.open(engine));
    await expect(memory.search(["docs"], { query: "plums" })).rejects.toMatchObject({ code: "unsupported" });
    await expect(memory.put(["a.b"], "key", {})).rejects.toThrow(InvalidNamespaceError);
    await expect(memory.put([], "key", {})).rejects.toThrow(InvalidNamespaceError);
  });
});

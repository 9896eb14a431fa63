/** Every method of the store refuses options that it does not have. */

import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { METHODS } from "../../../packages/store/src/store/method-options.ts";

let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());

test.each(Object.entries(METHODS))("%s refuses an option that it does not have", async (name, [index]) => {
  const method = store[name as keyof typeof METHODS] as (...given: unknown[]) => unknown;
  const calling = async (): Promise<unknown> =>
    await method(...Array.from({ length: index }, () => "x"), { sginal: null });
  await expect(calling()).rejects.toMatchObject({
    code: "usage",
    message: `there is no option sginal of ${name}`,
  });
});

test("every method with options has a table of them", () => {
  const methods = Object.entries(store).filter(([, value]) => typeof value === "function");
  const without = methods.map(([name]) => name).filter((name) => !Object.hasOwn(METHODS, name));
  expect(without.toSorted()).toEqual(["close", "forWorkspace"]);
});

test("a misspelt option of a pruning prunes nothing, and the hint has the correct name", async () => {
  await store.createLog({ logId: "log" });
  await store.append("log", [{ type: "acme.ping", retention: "supplementary", data: { n: 1 } }]);
  const pruning = store.prune("log", { reason: "space", beforeSequence: 1 } as never);
  await expect(pruning).rejects.toMatchObject({ code: "usage" });
  await expect(store.prune("log", { reason: "space", befor: 1 } as never)).rejects.toMatchObject({
    hint: "Use before.",
  });
  expect((await store.read("log")).events[0]).toMatchObject({ data: { n: 1 } });
});

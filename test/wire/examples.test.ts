import { expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { walkThrough } from "./walk.ts";

test("the examples of the protocol are what a real server was sent and sent", async () => {
  await using store = await openStore("memory:");
  const steps = await walkThrough(store);
  await expect(`${JSON.stringify(steps, null, 2)}\n`).toMatchFileSnapshot("../../protocol/examples.json");
});

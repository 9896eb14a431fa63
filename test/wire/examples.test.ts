import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { toText } from "../../scripts/protocol/files.ts";
import { walkThrough } from "./walk.ts";

test("the examples of the protocol are what a real server was sent and sent", async () => {
  await using store = await openStore("memory:");
  const steps = await walkThrough(store);
  await expect(`${toText(steps)}\n`).toMatchFileSnapshot("../../protocol/examples.json");
});

import { test } from "vitest";
import { reconnectOften } from "./reconnects.ts";

test("an editor that reconnects to its gateway twenty times, also in the middle of turns, has each turn once", {
  timeout: 300_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  try {
    await reconnectOften({ reconnects: 20, seed });
  } catch (cause) {
    throw new Error(`failed with seed ${seed}`, { cause });
  }
});

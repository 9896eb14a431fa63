import { test } from "vitest";
import { reconnectOften } from "./reconnects.ts";

test("an editor that reconnects to its gateway twenty times, also in the middle of turns, has each turn once", {
  timeout: 300_000,
}, async () => {
  await reconnectOften({ reconnects: 20, editors: 1, seed: Math.floor(Math.random() * 2 ** 31) });
});

test("twenty editors on four sessions of one home that reconnect to their gateways twice have each turn once", {
  timeout: 600_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  await reconnectOften({ reconnects: 40, editors: 20, sessions: 4, seed });
});

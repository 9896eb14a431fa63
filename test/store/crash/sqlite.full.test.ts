import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { numbersOfRun } from "../../sizes/rotation.ts";
import { killWriters } from "./rounds.ts";

const KILLS = numbersOfRun(200).length;

test(`${KILLS} writers killed at random moments lose nothing that SQLite acknowledged`, {
  timeout: 1_200_000,
}, async () => {
  const folder = scratchFolder("crash");
  const url = `sqlite:${join(folder, "store.db")}`;
  await using store = await openStore(url);
  const outcome = await killWriters({ url, store, kills: KILLS, writers: 4 });
  expect(outcome.kills).toBe(KILLS);
  expect(outcome.acknowledged).toBeGreaterThan(KILLS);
  rmSync(folder, { recursive: true });
});

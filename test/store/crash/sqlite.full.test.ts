import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { killWriters } from "./rounds.ts";

test("200 writers killed at random moments lose nothing that SQLite acknowledged", {
  timeout: 1_200_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "continuo-crash-"));
  const url = `sqlite:${join(folder, "store.db")}`;
  await using store = await openStore(url);
  const outcome = await killWriters({ url, store, kills: 200, writers: 4 });
  expect(outcome.kills).toBe(200);
  expect(outcome.acknowledged).toBeGreaterThan(200);
  rmSync(folder, { recursive: true });
});

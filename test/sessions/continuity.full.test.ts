/** Ten runs of a session, with the process killed between and inside of them. */

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { startSession } from "@continuo/store/sessions";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { faultsOf, givenIn, KILLS, workAndDie } from "./harness/continuity.ts";

const folder = scratchFolder("continuity");
let postgres: string;
beforeAll(async () => {
  postgres = await newPostgresDatabase();
  await (await openStore(postgres, { migrate: true })).close();
});

function named(name: string, inputs: number): readonly string[] {
  return Array.from({ length: inputs }, (_, n) => `${name}-${n}`);
}

test.each(["none", "native"] as const)(
  "on SQLite (native sessions: %s) no input is missing and none is sent twice",
  { timeout: 600_000 },
  async (kind) => {
    const own = mkdtempSync(join(folder, "sqlite-"));
    const url = `sqlite:${join(own, "store.db")}`;
    await using store = await openStore(url);
    const { sessionId } = await startSession(store);
    await workAndDie({ url, sessionId, name: "input", inputs: 10, folder: own, kind }, KILLS);
    expect(await faultsOf(store, { sessionId, folder: own, expected: named("input", 10) })).toEqual([]);
    expect((await store.verify(sessionId)).ok).toBe(true);
    const { items } = await store.listRuns({ sessionId, status: "interrupted" });
    expect(items.length).toBeGreaterThanOrEqual(3);
    if (kind === "native") expect(givenIn(own).some(({ native }) => native)).toBe(true);
  },
);

test("on Postgres, with two processes that compete for the session, no input is missing and none is sent twice", {
  timeout: 600_000,
}, async () => {
  const own = mkdtempSync(join(folder, "postgres-"));
  await using store = await openStore(postgres);
  const { sessionId } = await startSession(store);
  const worker = { url: postgres, sessionId, folder: own, kind: "none" } as const;
  await Promise.all([
    workAndDie({ ...worker, name: "left", inputs: 6 }, KILLS),
    workAndDie({ ...worker, name: "right", inputs: 6 }, KILLS.toReversed()),
  ]);
  const expected = [...named("left", 6), ...named("right", 6)];
  expect(await faultsOf(store, { sessionId, folder: own, expected })).toEqual([]);
  expect((await store.verify(sessionId)).ok).toBe(true);
});

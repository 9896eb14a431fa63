import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLAUDE_ID, createHome, writeSessions } from "../../../../test/cli/home.ts";
import { sourceKeyOf } from "./hand-off-source.ts";
import type { Machine } from "./machine-parts.ts";
import { createRowSource } from "./rows.ts";

test("a session has no source if the store of hand-overs cannot be read", async () => {
  using home = createHome();
  writeSessions(home);
  const places = { home: home.path, cwd: home.path, env: { CONTINUO_HOME: join(home.path, ".continuo") } };
  mkdirSync(join(home.path, ".continuo"));
  writeFileSync(join(home.path, ".continuo/continuo.db"), "no database".repeat(1_000));
  const source = createRowSource(places);
  const row = (await source.rows()).byKey.get(`claude:${CLAUDE_ID}`)?.row;
  if (row === undefined) throw new Error("the session is not listed");
  const machine = { options: { places }, source } as unknown as Machine;
  expect(await sourceKeyOf(machine, row, new AbortController().signal)).toBeNull();
});

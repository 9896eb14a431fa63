import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CLAUDE_ID, cleanEnv, createHome, writeSessions } from "../../../../test/cli/home.ts";
import { lookUpSession } from "./lookup.ts";

test("a text names a session by the beginning of its id, and a reference only by exactly its id", async () => {
  using home = createHome();
  writeSessions(home);
  const places = { home: home.path, env: cleanEnv(home.path) };
  const [agent, start] = ["claude", CLAUDE_ID.slice(0, 8)] as const;
  const { found } = await lookUpSession(`${agent}:${start}`, { places });
  expect(found.sessionId).toBe(CLAUDE_ID);
  for (const location of [null, found.location, "/nowhere.jsonl"]) {
    const exact = await lookUpSession({ agent, sessionId: CLAUDE_ID, location }, { places });
    expect(exact.found.location).toBe(found.location);
    await expect(lookUpSession({ agent, sessionId: start, location }, { places })).rejects.toMatchObject({
      code: "not_found",
    });
  }
});

test("a reference without a location names no session if two files have its id", async () => {
  using home = createHome();
  writeSessions(home);
  const places = { home: home.path, env: cleanEnv(home.path) };
  const ref = { agent: "claude", sessionId: CLAUDE_ID } as const;
  const { found } = await lookUpSession({ ...ref, location: null }, { places });
  const copy = join(home.path, ".claude/projects/-copy", basename(found.location));
  mkdirSync(dirname(copy));
  copyFileSync(found.location, copy);
  await expect(lookUpSession({ ...ref, location: null }, { places })).rejects.toMatchObject({
    code: "ambiguous",
  });
  expect((await lookUpSession({ ...ref, location: copy }, { places })).found.location).toBe(copy);
});

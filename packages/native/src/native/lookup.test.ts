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

/** What is not indexed yet: counted, not searched, and found afterwards. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Texts, updateTexts } from "../../src/catalog/index.ts";
import { parseQuery, searchIndex } from "../../src/search/index.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});
afterEach(() => home[Symbol.dispose]());

async function found(word: string, timeMs?: number): Promise<{ left: number; ids: string[] }> {
  const places = { home: home.path, env: {} };
  const texts: Texts = await updateTexts({ places, ...(timeMs === undefined ? {} : { timeMs }) });
  const query = parseQuery(word, { toTime: (time) => time });
  // With nothing indexed there is no index.
  if (texts.ready.size === 0) return { left: texts.left, ids: [] };
  const { results } = await searchIndex(places, query, { texts, nowMs: 0 });
  return { left: texts.left, ids: results.map(({ session }) => session.sessionId) };
}

test("a search counts the sessions that are not indexed yet, and finds them when they are", async () => {
  expect(await found("build", 0)).toEqual({ left: 3, ids: [] });
  expect(await found("build")).toEqual({ left: 0, ids: [CLAUDE_ID] });
  const line = { uuid: "u9", parent: "a3", role: "user", content: "And a wombat", time: "11:00:00" } as const;
  appendFileSync(join(home.path, claudeFile(CLAUDE_ID)), claudeText(CLAUDE_ID, [line]));
  // Also what was indexed before of a session that changed is not searched: it may be gone.
  expect(await found("wombat", 0)).toEqual({ left: expect.any(Number), ids: [] });
  expect((await found("build", 0)).ids).toEqual([]);
  expect(await found("wombat")).toEqual({ left: 0, ids: [CLAUDE_ID] });
});

test("a session that was indexed long ago and changed since is not answered from what it was", async () => {
  // Long after everything was written, so that stamps count.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  try {
    expect(await found("build")).toEqual({ left: 0, ids: [CLAUDE_ID] });
    expect(await found("build", 0)).toEqual({ left: 0, ids: [CLAUDE_ID] });
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, []));
    expect(await found("build", 0)).toEqual({ left: 1, ids: [] });
  } finally {
    vi.useRealTimers();
  }
});

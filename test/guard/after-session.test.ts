/**
 * The run of the guard at the end of a session, as the hook of an agent starts it: it copies only the session that
 * ended.
 */

import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, type Places } from "@continuo/files";
import { formatOf, READABLE_AGENTS } from "@continuo/native";
import { restoreGuardedSession } from "@continuo/native/editing";
import { DELETING_AGENTS, findCopy, readLedger, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { beforeEach, expect, test } from "vitest";
import { createHome, type Home, run } from "../cli/home.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";
import { claudeLines, writeClaudeSession, writeGeminiSession } from "./sessions.ts";

const [FIRST, SECOND] = ["0b9c1a52-0000-4000-8000-000000000001", "1c9c1a52-0000-4000-8000-000000000002"];

let home: Home;
let places: Places;
let first: string;

beforeEach(() => {
  home = createHome();
  places = { home: home.path, env: {} };
  first = writeClaudeSession(home.path, { id: FIRST, turns: 6, writtenMs: Date.now() - 60_000 }).path;
});

const pieces = (): readonly string[] => filesBelow(join(home.path, ".continuo/guard/pieces"));
const ended = (sessionId: string, location: string) => ({ sessionId, location });
const storedIds = (): readonly string[] =>
  [...readLedger(places).values()].map(({ sessionId }) => sessionId).sort();

test("the agents that the guard asks for rules are exactly those that have some", async () => {
  const withRules = [];
  for (const agent of READABLE_AGENTS) {
    const { retention } = await formatOf(agent);
    if (retention !== undefined) withRules.push(agent);
  }
  expect(DELETING_AGENTS).toEqual(withRules);
});

test("the named session is stored with all its files, and no other session is read", async () => {
  writeClaudeSession(home.path, { id: SECOND, turns: 6, writtenMs: Date.now() });
  const gemini = writeGeminiSession(home.path, {
    id: "2d9c1a52-0000-4000-8000-000000000003",
    turns: 4,
    writtenMs: Date.now(),
  });
  expect(await runGuard({ places, only: ended(FIRST, first) })).toMatchObject({ sessions: 1, stored: 1 });
  expect(await runGuard({ places, only: ended(gemini.id, gemini.path) })).toMatchObject({
    sessions: 1,
    stored: 1,
  });
  expect(storedIds()).toEqual([FIRST, gemini.id]);
  expect(findCopy(FIRST, places).states[0]?.files.map(({ from }) => from)).toHaveLength(4);
  expect(await runGuard({ places, only: ended(FIRST, first) })).toMatchObject({
    sessions: 1,
    stored: 0,
    unchanged: 1,
  });
});

test("the next full run repacks a session that was packed quickly, and counts it as unchanged", async () => {
  const stored = (): number => readLedger(places).get(`claude:${FIRST}`)?.storedBytes ?? 0;
  appendFileSync(first, claudeLines(FIRST, 6, 200));
  await runGuard({ places, only: ended(FIRST, first) });
  const quick = stored();
  expect(await runGuard({ places, only: ended(FIRST, first) })).toMatchObject({ unchanged: 1 });
  expect(stored()).toBe(quick);
  expect(await runGuard({ places })).toMatchObject({ stored: 0, unchanged: 1 });
  const packed = stored();
  expect(packed).toBeLessThan(quick * 0.9);
  const log = readFileSync(join(home.path, ".continuo/guard/log.jsonl"), "utf8");
  expect(await runGuard({ places })).toMatchObject({ stored: 0, unchanged: 1 });
  expect(stored()).toBe(packed);
  expect(readFileSync(join(home.path, ".continuo/guard/log.jsonl"), "utf8")).toBe(log);
  expect(await verifyGuard(places)).toMatchObject({ problems: [] });
  const bytes = readFileSync(first);
  rmSync(first);
  await restoreGuardedSession(FIRST, { places });
  expect(readFileSync(first)).toEqual(bytes);
});

test("pieces that the new copy of one session replaces are removed by the next run for all sessions", async () => {
  await runGuard({ places });
  const before = pieces();
  const ends = readLedger(places).get(`claude:${FIRST}`)?.endsAtMs;
  appendFileSync(first, claudeLines(FIRST, 6, 8));
  await runGuard({ places, only: ended(FIRST, first) });
  // The stored time of the session's deletion comes from the last run for all sessions.
  expect(readLedger(places).get(`claude:${FIRST}`)?.endsAtMs).toBe(ends);
  expect(pieces()).toEqual(expect.arrayContaining([...before]));
  expect(await runGuard({ places })).toMatchObject({ stored: 0, unchanged: 1 });
  expect(pieces()).not.toEqual(expect.arrayContaining([...before]));
  expect(pieces()).toHaveLength(before.length);
  const bytes = readFileSync(first);
  rmSync(first);
  await restoreGuardedSession(FIRST, { places });
  expect(readFileSync(first)).toEqual(bytes);
});

test.each([
  ["lies outside the folders of agents", () => join(home.path, "elsewhere.jsonl")],
  ["is the file of a sub-agent", () => join(first.replace(/\.jsonl$/u, ""), "subagents/agent-a1.jsonl")],
  ["is gone", () => `${first}x`],
])("a file that %s is not a session, so all sessions are read", async (_, pathOf) => {
  writeFileSync(join(home.path, "elsewhere.jsonl"), readFileSync(first));
  writeClaudeSession(home.path, { id: SECOND, turns: 6, writtenMs: Date.now() });
  expect(await runGuard({ places, only: ended(FIRST, pathOf()) })).toMatchObject({ sessions: 2, stored: 2 });
});

test("an excluded session is not stored at its end", async () => {
  const isExcluded = (path: string): boolean => path === first;
  expect(await runGuard({ places, only: ended(FIRST, first), isExcluded })).toMatchObject({
    stored: 0,
    excluded: 1,
  });
  expect(storedIds()).toEqual([]);
});

test("the command takes the session from the event of its agent, and reads all sessions without an event", async () => {
  const main = await bundledCommand();
  const quiet = async (stdin: string): Promise<void> => {
    const { code, stdout, stderr } = await run(home, ["guard", "run", "--quiet"], { main, stdin });
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
  };
  const event = JSON.stringify({ session_id: FIRST, transcript_path: first, hook_event_name: "SessionEnd" });
  await quiet(event);
  // The guard is off.
  expect(storedIds()).toEqual([]);
  await run(home, ["guard", "on", "--no-timer"], { main });
  writeClaudeSession(home.path, { id: SECOND, turns: 6, writtenMs: Date.now() });
  appendFileSync(first, claudeLines(FIRST, 6, 8));
  await quiet(event);
  expect(storedIds()).toEqual([FIRST]);
  expect(findCopy(FIRST, places).info.sizeBytes).toBe(readFileSync(first).length);
  await quiet("no event");
  expect(storedIds()).toEqual([FIRST, SECOND]);
  expect(await verifyGuard(places)).toMatchObject({ sessions: 2, problems: [] });
});

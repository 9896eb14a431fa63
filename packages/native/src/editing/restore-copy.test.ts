/**
 * The guard stores sessions before their agent deletes them, lists them afterwards, and restores them so that the next
 * sweep keeps them.
 */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import { filesBelow, type Places } from "@continuo/files";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { findNativeSessions, formatOf } from "../native/index.ts";
import { emptyTrash, trashNativeSession } from "./delete.ts";
import {
  changeGuardSettings,
  findCopy,
  findDueSessions,
  guardFolder,
  onlyCopies,
  openCopy,
  openedFolder,
  readLedger,
  runGuard,
  totalOf,
  verifyGuard,
} from "./guard/index.ts";
import { restoreGuardedSession } from "./restore-copy.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const homeOf = (scratch: string): Places => ({ home: scratch, env: {} });

async function gone(places: Places): Promise<readonly SessionInfo[]> {
  const there = await Array.fromAsync(findNativeSessions({ places }));
  return onlyCopies({ places, metIds: new Set(there.map(({ sessionId }) => sessionId)) });
}

/** A session of Claude Code with a sub-agent, a result of a tool and a history of edited files. */
function writeClaude(home: string, id: string, turns: number): string {
  const path = join(home, ".claude/projects/-work", `${id}.jsonl`);
  const lines = Array.from({ length: turns }, (_, at) => claudeLine(id, at));
  for (const [file, text] of [
    [path, lines.join("")],
    [join(home, ".claude/projects/-work", id, "tool-results", "t1.txt"), "the whole result\n"],
    [join(home, ".claude/projects/-work", id, "subagents", "agent-a1.jsonl"), claudeLine(id, 0)],
    [join(home, ".claude/file-history", id, "abc@v1"), "before the edit\n"],
  ] as const) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return path;
}

function claudeLine(sessionId: string, at: number): string {
  const uuid = `${sessionId}-${at}`;
  const parentUuid = at === 0 ? null : `${sessionId}-${at - 1}`;
  const isUser = at % 2 === 0;
  const content = isUser ? `Question ${at}` : [{ type: "text", text: `Answer ${at}` }];
  const message = { role: isUser ? "user" : "assistant", content };
  const record = { type: isUser ? "user" : "assistant", uuid, parentUuid, sessionId, cwd: "/work", message };
  return `${JSON.stringify({ ...record, timestamp: "2026-06-01T00:00:00.000Z" })}\n`;
}

const ID = "0b9c1a52-0000-4000-8000-00000000000";

function treeOf(home: string, folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filesBelow(join(home, folder)).map((path) => [path, readFileSync(path, "base64")]),
  );
}

test.each(FORMAT_CASES.filter(([agent]) => agent === "claude" || agent === "gemini"))(
  "%s, %s: every session can be restored after its agent deleted it, with the same messages",
  async (agent, name) => {
    const { places, sessions } = await copyHome(scratchFolder("guard"), [agent, name]);
    const run = await runGuard({ places });
    expect(run).toMatchObject({ sessions: sessions.length, stored: sessions.length, failed: [] });
    const reader = await formatOf(agent);
    for (const info of sessions) {
      const before = await historyOf(agent, info.location, places);
      const found = await reader.recognise(info.location, places);
      if (found === null) throw new Error(`${info.location} is not a session`);
      const plan = await reader.trashPlan(found, places);
      if (plan.type === "files")
        for (const path of plan.paths) rmSync(path, { recursive: true, force: true });
      const rows = await gone(places);
      expect(rows.map(({ sessionId }) => sessionId)).toEqual([info.sessionId]);
      expect(rows[0]?.problems).toMatchObject([{ code: "only_copy" }]);
      const opened = await openCopy(findCopy(`${agent}:${info.sessionId}`, places), places);
      expect(await historyOf(agent, opened.location, opened.places)).toEqual(before);
      const { location } = await restoreGuardedSession(`${agent}:${info.sessionId}`, { places });
      expect(await historyOf(agent, location, places)).toEqual(before);
      expect(await gone(places)).toEqual([]);
    }
    expect(await verifyGuard(places)).toMatchObject({ sessions: sessions.length, problems: [] });
  },
);

async function historyOf(agent: AgentName, location: string, places: Places): Promise<unknown[]> {
  const reader = await formatOf(agent);
  const found = await reader.recognise(location, places);
  if (found === null) throw new Error(`${location} is not a session`);
  using session = await reader.open(found, places, {});
  return (await Array.fromAsync(session.history())).map(({ role, content }) => ({ role, content }));
}

test("a restored session has all its files, byte for byte, and the next sweep keeps it", async () => {
  const home = scratchFolder("guard-claude");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}1`, 40);
  const old = new Date(Date.now() - 29 * DAY_MS);
  utimesSync(path, old, old);
  const before = treeOf(home, ".claude");
  await runGuard({ places });
  expect(treeOf(home, ".claude")).toEqual(before);
  rmSync(join(home, ".claude"), { recursive: true });
  await restoreGuardedSession(`${ID}1`, { places });
  expect(treeOf(home, ".claude")).toEqual(before);
  const { sessions } = await findDueSessions({ places });
  expect(Date.parse(sessions[0]?.endsAt ?? "")).toBeGreaterThan(Date.now() + 29 * DAY_MS);
});

test("only the new part of a session that grew is stored, and a run without changes stores nothing", async () => {
  const home = scratchFolder("guard-grown");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}2`, 4000);
  await runGuard({ places });
  const pieces = (): string[] => filesBelow(join(guardFolder(places), "pieces"));
  const first = pieces();
  expect(await runGuard({ places })).toMatchObject({ stored: 0, unchanged: 1 });
  for (let at = 4000; at < 4016; at += 1) {
    appendFileSync(path, claudeLine(`${ID}2`, at));
    expect(await runGuard({ places })).toMatchObject({ stored: 1 });
  }
  // The earlier large piece still exists, and the small pieces were joined.
  expect(pieces()).toEqual(expect.arrayContaining(first.filter((name) => name.length > 0).slice(0, 1)));
  expect(pieces().length).toBeLessThan(first.length + 8);
  rmSync(path);
  const { location } = await restoreGuardedSession(`${ID}2`, { places });
  expect(readFileSync(location, "utf8").trimEnd().split("\n")).toHaveLength(4016);
  expect(await verifyGuard(places)).toMatchObject({ problems: [] });
});

test("a session that its agent truncated can be restored to its earlier state", async () => {
  const home = scratchFolder("guard-emptied");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}3`, 20);
  const whole = readFileSync(path, "utf8");
  await runGuard({ places });
  truncateSync(path, 100);
  await runGuard({ places });
  rmSync(path);
  await restoreGuardedSession(`${ID}3`, { places, state: 1 });
  expect(readFileSync(path, "utf8")).toBe(whole);
});

test("copies stay within the limit of size, and sessions that will be deleted first keep their copies", async () => {
  const home = scratchFolder("guard-room");
  const places = homeOf(home);
  for (let at = 0; at < 6; at += 1) {
    const path = writeClaude(home, `${ID}${at}`, 300);
    const written = new Date(Date.now() - at * DAY_MS);
    utimesSync(path, written, written);
  }
  await runGuard({ places });
  const all = totalOf(readLedger(places));
  changeGuardSettings(places, { maxBytes: Math.floor(all / 2) });
  const run = await runGuard({ places });
  expect(run.removed).toBeGreaterThanOrEqual(3);
  expect(totalOf(readLedger(places))).toBeLessThanOrEqual(all / 2);
  expect([...readLedger(places).values()].map(({ sessionId }) => sessionId)).toContain(`${ID}5`);
  expect(await verifyGuard(places)).toMatchObject({ problems: [] });
});

test("a copy stays while its session is in the trash, and is removed when the person deletes the session for good", async () => {
  const home = scratchFolder("guard-deleted");
  const places = homeOf(home);
  writeClaude(home, `${ID}1`, 4);
  await runGuard({ places });
  await trashNativeSession(`${ID}1`, { places });
  expect(await gone(places)).toEqual([]);
  await runGuard({ places });
  expect(readLedger(places).size).toBe(1);
  emptyTrash({ places });
  expect(await gone(places)).toEqual([]);
  await runGuard({ places });
  expect(readLedger(places).size).toBe(0);
  expect(filesBelow(join(guardFolder(places), "pieces"))).toEqual([]);
  expect(await verifyGuard(places)).toMatchObject({ sessions: 0, problems: [] });
});

test("a changed piece, a changed manifest and a missing manifest are found", async () => {
  const home = scratchFolder("guard-changed");
  const places = homeOf(home);
  for (const at of [1, 2, 3]) writeClaude(home, `${ID}${at}`, 4 + at);
  await runGuard({ places });
  const folder = join(guardFolder(places), "sessions/claude");
  const [first = "", second = ""] = readdirSync(folder);
  const other = JSON.stringify(findCopy(`${ID}1`, places)).replace("/work", "/wirk");
  rmSync(join(folder, first));
  writeFileSync(join(folder, `${ID}1.json`), other);
  rmSync(join(folder, second));
  const { sha256 = "" } = findCopy(`${ID}3`, places).states[0]?.files[0]?.pieces[0] ?? {};
  writeFileSync(join(guardFolder(places), "pieces", sha256.slice(0, 2), `${sha256}.zst`), "broken");
  const { problems } = await verifyGuard(places);
  expect(problems).toHaveLength(3);
  expect(problems.join("\n")).toMatch(/is not what the guard's log says/u);
  expect(problems.join("\n")).toMatch(/is gone/u);
  expect(problems.join("\n")).toMatch(/is damaged/u);
  // A damaged manifest may name any piece: none is removed.
  const pieces = filesBelow(join(guardFolder(places), "pieces")).length;
  writeFileSync(join(folder, `${ID}1.json`), "{");
  writeClaude(home, `${ID}4`, 9);
  await runGuard({ places });
  expect(filesBelow(join(guardFolder(places), "pieces")).length).toBeGreaterThanOrEqual(pieces);
});

test("a session whose file is excluded is not stored", async () => {
  const home = scratchFolder("guard-excluded");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}1`, 4);
  expect(await runGuard({ places, isExcluded: (one) => one === path })).toMatchObject({
    stored: 0,
    excluded: 1,
  });
  expect(existsSync(join(guardFolder(places), "sessions"))).toBe(false);
});

test("if there is not enough room for all copies, the session that will be deleted first has one", async () => {
  const home = scratchFolder("guard-first");
  const places = homeOf(home);
  for (let at = 0; at < 6; at += 1) {
    const written = new Date(Date.now() - at * DAY_MS);
    utimesSync(writeClaude(home, `${ID}${at}`, 300), written, written);
  }
  await runGuard({ places });
  const each = totalOf(readLedger(places)) / 6;
  rmSync(guardFolder(places), { recursive: true });
  changeGuardSettings(places, { maxBytes: Math.floor(each * 1.5) });
  expect(await runGuard({ places })).toMatchObject({ stored: 2, removed: 1, withoutRoom: 4 });
  expect([...readLedger(places).keys()]).toEqual([`claude:${ID}5`]);
});

test("beyond the limit of size the only copy of a session stays longer than others", async () => {
  const home = scratchFolder("guard-only");
  const places = homeOf(home);
  const paths = [0, 1, 2, 3].map((at) => writeClaude(home, `${ID}${at}`, 300));
  await runGuard({ places });
  rmSync(paths[2] ?? "");
  changeGuardSettings(places, { maxBytes: Math.floor(totalOf(readLedger(places)) / 3) });
  await runGuard({ places });
  expect([...readLedger(places).keys()]).toEqual([`claude:${ID}2`]);
});

test("the limit of age removes older copies of deleted sessions", async () => {
  const home = scratchFolder("guard-age");
  const places = homeOf(home);
  const [gone = ""] = [1, 2].map((at) => writeClaude(home, `${ID}${at}`, 4));
  changeGuardSettings(places, { maxAgeDays: 10 });
  await runGuard({ places });
  rmSync(gone);
  const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
  expect(await runGuard({ places, now: inDays(5) })).toMatchObject({ removed: 0 });
  expect(readLedger(places).size).toBe(2);
  expect(await runGuard({ places, now: inDays(20) })).toMatchObject({ removed: 1 });
  expect([...readLedger(places).keys()]).toEqual([`claude:${ID}2`]);
});

test("a session that exists again after it was deleted for good keeps its copy", async () => {
  const home = scratchFolder("guard-again");
  const places = homeOf(home);
  writeClaude(home, `${ID}1`, 4);
  await runGuard({ places });
  await trashNativeSession(`${ID}1`, { places });
  emptyTrash({ places });
  const path = writeClaude(home, `${ID}1`, 6);
  expect(await runGuard({ places })).toMatchObject({ stored: 1, removed: 0 });
  rmSync(path);
  expect(findCopy(`${ID}1`, places).info.sessionId).toBe(`${ID}1`);
});

test("a session that disappears during a run is reported as failed, and the others are stored", async () => {
  const home = scratchFolder("guard-going");
  const places = homeOf(home);
  const [, going = ""] = [1, 2, 3].map((at) => writeClaude(home, `${ID}${at}`, 4));
  // The guard calls this after it found the session, and before it stores it.
  const isExcluded = (path: string): boolean => {
    if (path === going) rmSync(going, { force: true });
    return false;
  };
  const run = await runGuard({ places, isExcluded });
  expect(run).toMatchObject({ sessions: 3, stored: 2 });
  expect(run.failed.map(({ sessionId }) => sessionId)).toEqual([`${ID}2`]);
});

test("a file that the agent removed by itself stays in the copy", async () => {
  const home = scratchFolder("guard-beside");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}1`, 4);
  await runGuard({ places });
  const result = join(home, ".claude/projects/-work", `${ID}1`, "tool-results/t1.txt");
  rmSync(result);
  appendFileSync(path, claudeLine(`${ID}1`, 4));
  await runGuard({ places });
  rmSync(join(home, ".claude"), { recursive: true });
  await restoreGuardedSession(`${ID}1`, { places });
  expect(readFileSync(result, "utf8")).toBe("the whole result\n");
});

test("the largest states of a session that is rewritten at each turn are kept", async () => {
  const home = scratchFolder("guard-states");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}1`, 60);
  const full = readFileSync(path).length;
  await runGuard({ places });
  for (let at = 1; at <= 12; at += 1) {
    writeFileSync(path, `${claudeLine(`${ID}1`, 0)}${claudeLine(`${ID}1`, 100 + at)}`);
    await runGuard({ places });
  }
  const { states } = findCopy(`${ID}1`, places);
  expect(states).toHaveLength(8);
  expect(Math.max(...states.map(({ files }) => files[0]?.sizeBytes ?? 0))).toBe(full);
  expect(await verifyGuard(places)).toMatchObject({ problems: [] });
});

test("a longer file with another beginning is stored as a new state, and the earlier state stays", async () => {
  const home = scratchFolder("guard-rewritten");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}1`, 10);
  const before = readFileSync(path, "utf8");
  await runGuard({ places });
  const after = `${before.replace("Question 0", "Question A")}${claudeLine(`${ID}1`, 10)}`;
  writeFileSync(path, after);
  await runGuard({ places });
  for (const [state, text] of [after, before].entries()) {
    rmSync(path);
    await restoreGuardedSession(`${ID}1`, { places, state });
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("a complete id finds its copy; the beginning of two ids, and the id of a session in the trash, find none", async () => {
  const home = scratchFolder("guard-ids");
  const places = homeOf(home);
  for (const at of [1, 12]) writeClaude(home, `${ID}${at}`, 4);
  await runGuard({ places });
  expect(findCopy(`${ID}1`, places).info.sessionId).toBe(`${ID}1`);
  expect(() => findCopy(ID, places)).toThrow(expect.objectContaining({ code: "ambiguous" }));
  await trashNativeSession(`${ID}12`, { places });
  expect(findCopy(ID, places).info.sessionId).toBe(`${ID}1`);
  expect(() => findCopy(`${ID}12`, places)).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("a session whose file exists is not listed as a copy, although the list of sessions lacks it", async () => {
  const home = scratchFolder("guard-there");
  const places = homeOf(home);
  const path = writeClaude(home, `${ID}1`, 4);
  await runGuard({ places });
  expect(onlyCopies({ places, metIds: new Set() })).toEqual([]);
  rmSync(path);
  expect(onlyCopies({ places, metIds: new Set() })).toHaveLength(1);
});

test("at most four copies are unpacked at a time: those that were opened last", async () => {
  const home = scratchFolder("guard-opened");
  const places = homeOf(home);
  for (const at of [1, 2, 3, 4, 5, 6]) writeClaude(home, `${ID}${at}`, 4);
  await runGuard({ places });
  for (const at of [1, 2, 3, 4, 5, 6]) await openCopy(findCopy(`${ID}${at}`, places), places);
  expect(readdirSync(openedFolder(places))).toHaveLength(4);
  const { location } = await openCopy(findCopy(`${ID}6`, places), places);
  expect(existsSync(location)).toBe(true);
});

test("a damaged dictionary does not prevent storing later sessions", async () => {
  const home = scratchFolder("guard-dictionary");
  const places = homeOf(home);
  writeClaude(home, `${ID}1`, 40);
  await runGuard({ places });
  for (const path of filesBelow(join(guardFolder(places), "dictionaries"))) writeFileSync(path, "broken");
  // The check reads all dictionaries from the disk again.
  expect((await verifyGuard(places)).problems).not.toEqual([]);
  const path = writeClaude(home, `${ID}2`, 40);
  const bytes = readFileSync(path);
  expect(await runGuard({ places })).toMatchObject({ stored: 1, failed: [] });
  rmSync(path);
  await restoreGuardedSession(`${ID}2`, { places });
  expect(readFileSync(path)).toEqual(bytes);
});

test("a session whose folder is excluded is not stored", async () => {
  const home = scratchFolder("guard-folder");
  writeClaude(home, `${ID}1`, 4);
  const isExcluded = (one: string): boolean => one === "/work";
  expect(await runGuard({ places: homeOf(home), isExcluded })).toMatchObject({ stored: 0, excluded: 1 });
});

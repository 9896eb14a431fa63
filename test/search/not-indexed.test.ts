/** A session whose present state is not indexed is searched in its own file; its earlier state is never used. */

import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openTexts, updateTexts } from "@continuo/agents/catalog";
import { parseQuery, type SessionSearchResults, searchSessions } from "@continuo/agents/search";
import { indexPathOf, useIndex } from "@continuo/native/index-file";
import { beforeEach, expect, test, vi } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

const placesOf = (): { home: string; cwd: string; env: Record<string, string> } => ({
  home: home.path,
  cwd: home.path,
  env: {},
});

async function find(text: string, timeMs?: number): Promise<SessionSearchResults> {
  const query = parseQuery(text, { toTime: (time) => time });
  return await searchSessions(query, {
    places: placesOf(),
    exclude: [],
    nowMs: 0,
    ...(timeMs === undefined ? {} : { timeMs }),
  });
}

const idsOf = ({ results }: SessionSearchResults): string[] =>
  results.map(({ session }) => session.sessionId);

/** More sessions than a search indexes before it answers. */
const MANY = 66;

/** Writes sessions; each has a word of its own, and a word that all of them have. */
function writeMany(): void {
  for (let at = 0; at < MANY; at++) {
    const id = idOf(at);
    const line = { uuid: "u1", parent: null, role: "user", content: `All say wombat${at}`, time: "10:00:00" };
    home.write(claudeFile(id), claudeText(id, [{ ...line, role: "user" }]));
  }
}

const idOf = (at: number): string => `4bf3c2a1-0000-4000-9000-${String(at).padStart(12, "0")}`;

test("the first search of many sessions is complete, and says how many it read in their files", async () => {
  writeMany();
  const all = await find("all say");
  expect(all).toMatchObject({ total: MANY, unsearched: 0, notIndexed: MANY + 3, unreadable: [] });
  expect(new Set(idsOf(all)).size).toBe(MANY);
  expect(idsOf(await find("wombat55"))).toEqual([idOf(55)]);
  expect(await find("wombat555")).toMatchObject({ total: 0, unsearched: 0, sessions: MANY + 3 });
  // The index gives the same result. The clock is long after every write, so that time stamps can be trusted.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  try {
    await updateTexts({ places: placesOf() });
    expect(await find("all say")).toMatchObject({ total: MANY, unsearched: 0, notIndexed: 0 });
    expect(idsOf(await find("wombat55"))).toEqual([idOf(55)]);
  } finally {
    vi.useRealTimers();
  }
});

test("a search for words that no turn has together finds most of them, and says before that not all is searched", async () => {
  writeMany();
  const said = { uuid: "u1", parent: null, role: "user" as const, time: "10:00:00" };
  const id = idOf(MANY);
  home.write(claudeFile(id), claudeText(id, [{ ...said, content: "The proxy listens on a port" }]));
  const left: number[] = [];
  const query = parseQuery("proxy listening ports elsewhere", { toTime: (time) => time });
  const found = await searchSessions(query, {
    places: placesOf(),
    exclude: [],
    nowMs: 0,
    onProgress: ({ searched, ofSessions, found: so }) => {
      if (so().total === 0) left.push(ofSessions - searched);
    },
  });
  expect(found).toMatchObject({ matched: "most", total: 1, unsearched: 0 });
  expect(idsOf(found)).toEqual([id]);
  expect(left.length).toBeGreaterThan(0);
  expect(Math.min(...left)).toBeGreaterThan(0);
  expect(await find("proxy port")).toMatchObject({ matched: "all", total: 1 });
  expect(await find('proxy port "elsewhere"')).toMatchObject({ total: 0 });
});

test("a search whose time is over says how many sessions it did not search", async () => {
  writeMany();
  const found = await find("all say", 0);
  expect(found).toMatchObject({ sessions: MANY + 3, unsearched: MANY + 3, total: 0 });
  // A turn with every word may be among them, so that most of the words are no answer yet.
  const most = await find("proxy listening ports elsewhere", 0);
  expect(most).toMatchObject({ matched: "all", unsearched: MANY + 3, total: 0 });
});

test("an index of a newer version, and one that cannot be used, leave the search complete", async () => {
  await updateTexts({ places: placesOf() });
  const path = indexPathOf(placesOf());
  await useIndex(path, "write", (database) => database.exec("pragma user_version = 999"));
  const before = statSync(path).size;
  expect(await find("build")).toMatchObject({ index: "newer", total: 1, unsearched: 0 });
  expect(statSync(path).size).toBe(before);
  await useIndex(path, "write", () => undefined);
  home.write(".continuo/index.db", "no database at all, but long enough to be looked at as one".repeat(20));
  expect(await find("build")).toMatchObject({ total: 1, unsearched: 0 });
});

test("a session that grew is found by its new words at once, and by the old ones only while they are there", async () => {
  expect(idsOf(await find("build"))).toEqual([CLAUDE_ID]);
  const line = { uuid: "u9", parent: "a3", role: "user", content: "And a wombat", time: "11:00:00" } as const;
  appendFileSync(join(home.path, claudeFile(CLAUDE_ID)), claudeText(CLAUDE_ID, [line]));
  expect(idsOf(await find("wombat"))).toEqual([CLAUDE_ID]);
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, []));
  expect(await find("build")).toMatchObject({ total: 0, unsearched: 0 });
});

test("a search of a session that changed since it was indexed does not use its earlier state", async () => {
  // A time long after everything was written, so that time stamps can be trusted.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  try {
    expect(idsOf(await find("build"))).toEqual([CLAUDE_ID]);
    await using texts = await openTexts({ places: placesOf() });
    expect(texts.missing()).toEqual([]);
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, []));
    await using after = await openTexts({ places: placesOf() });
    expect(after.missing().map(({ key }) => key)).toEqual([join(home.path, claudeFile(CLAUDE_ID))]);
    expect(await find("build")).toMatchObject({ total: 0, unsearched: 0 });
  } finally {
    vi.useRealTimers();
  }
});

test("a search reports that many sessions are not indexed, and reports nothing for a few", async () => {
  let calls = 0;
  const search = async (): Promise<SessionSearchResults> =>
    await searchSessions(parseQuery("say", { toTime: (time) => time }), {
      places: placesOf(),
      exclude: [],
      nowMs: 0,
      onUnindexed: () => {
        calls += 1;
      },
    });
  await search();
  expect(calls).toBe(0);
  writeMany();
  await search();
  expect(calls).toBe(1);
  await useIndex(indexPathOf(placesOf()), "write", (database) => database.exec("pragma user_version = 999"));
  // An index of a newer version must not be written.
  await search();
  expect(calls).toBe(1);
});

test("the command says when many sessions are not indexed, and how to index them", async () => {
  writeMany();
  const { code, stdout, stderr } = await runHere(home, ["search", "wombat55"]);
  expect([code, stdout.includes("wombat55")]).toEqual([0, true]);
  expect(stderr).toContain(`${MANY + 3} sessions are not indexed`);
  expect(stderr).toContain("continuo index update");
  // A time long after everything was written, so that time stamps can be trusted.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  try {
    expect((await runHere(home, ["index", "update"])).code).toBe(0);
    expect((await runHere(home, ["search", "wombat55"])).stderr).toBe("");
  } finally {
    vi.useRealTimers();
  }
});

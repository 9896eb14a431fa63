/** A page finds sessions by text while the search still runs. */

import type { MachineSession } from "@continuo/core/wire/machine";
import { beforeEach, expect, test, vi } from "vitest";
import { MACHINE_LIMITS } from "../../packages/server/src/machine/limits.ts";
import { createRowSource } from "../../packages/server/src/machine/rows.ts";
import { sessionsPage } from "../../packages/server/src/machine/sessions-page.ts";
import { createTextSearches } from "../../packages/server/src/machine/text-searches.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

test("a page that asks while the search runs gets the number of unsearched sessions, and then all results", async () => {
  const places = { home: home.path, cwd: home.path, env: {} };
  const { promise: patterns, resolve } = Promise.withResolvers<readonly string[]>();
  let began = 0;
  const options = {
    places,
    exclude: () => {
      began += 1;
      return patterns;
    },
    onUnindexed: () => undefined,
    toTime: (text: string) => text,
  };
  const searches = createTextSearches(options, { waitMs: 10 });
  const rows = await createRowSource(places).rows();
  const { size } = rows.byKey;
  // Repeating the same query does not begin another search.
  for (let times = 0; times < 2; times++)
    expect(await searches.find("build", rows)).toEqual({
      sessions: [],
      unsearched: size,
      unlisted: 0,
      withoutRow: 0,
      notices: [`The texts of ${size} sessions are not searched yet.`],
    });
  expect(began).toBe(1);
  resolve([]);
  let found = await searches.find("build", rows);
  while (found.unsearched > 0) found = await searches.find("build", rows);
  expect(found).toMatchObject({ sessions: [{ sessionId: CLAUDE_ID }], notices: [] });
  await expect(searches.find("role:", rows)).rejects.toMatchObject({ code: "usage" });
  await expect(searches.find("agnet:claude", rows)).rejects.toMatchObject({
    code: "usage",
    hint: expect.stringContaining("Did you mean agent:claude?"),
  });
  await searches.close();
});

test("sessions beyond the best ones are counted, since no filter looks at them", async () => {
  const places = { home: home.path, cwd: home.path, env: {} };
  const options = {
    places,
    exclude: () => Promise.resolve([]),
    onUnindexed: () => undefined,
    toTime: (text: string) => text,
  };
  const rows = await createRowSource(places).rows();
  const find = async (limit: number) => {
    const searches = createTextSearches(options, { waitMs: 60_000, limit });
    const found = await searches.find("agent:claude", rows);
    await searches.close();
    return found;
  };
  expect(await find(10)).toMatchObject({ sessions: { length: 2 }, unlisted: 0 });
  expect(await find(1)).toMatchObject({ sessions: { length: 1 }, unlisted: 1 });
});

test("only the rows of the page get an excerpt, and the others are counted", async () => {
  const rows = await createRowSource(placesOf()).rows();
  const searches = createTextSearches(optionsOf(), { waitMs: 60_000 });
  const page = { name: "first", of: (all: readonly MachineSession[]) => all.slice(0, 1) };
  const { sessions, unlisted } = await searches.find("agent:claude", rows, { page });
  expect(sessions.map(({ match }) => match !== undefined)).toEqual([true, false]);
  expect(unlisted).toBe(0);
  const all = await searches.find("agent:claude", rows);
  expect(all.sessions.every(({ match }) => match !== undefined)).toBe(true);
  await searches.close();
});

test("the row of a found session leads to the turn of its excerpt, which is the one that matches best", async () => {
  const line = (uuid: string, content: string, parent: string | null) =>
    ({ uuid, parent, role: "user", content, time: "11:00:00" }) as const;
  const lines = [
    line("n1", `A wombat among ${"many other animals and ".repeat(40)}trees`, null),
    line("n2", "Two words between", "n1"),
    line("n3", "wombat wombat", "n2"),
  ];
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines));
  const rows = await createRowSource(placesOf()).rows();
  const searches = createTextSearches(optionsOf(), { waitMs: 60_000 });
  const { sessions } = await searches.find("wombat", rows);
  await searches.close();
  expect(sessions).toMatchObject([{ match: { messageId: "n3", turn: 3, turns: 2 } }]);
});

test("a session that began after the list was made is found with its row, also while the list is only due", async () => {
  const source = createRowSource(placesOf());
  const searches = createTextSearches(optionsOf(), { waitMs: 60_000 });
  const usages = { of: () => NOTHING, at: () => NOTHING, read: async () => NOTHING, want: () => undefined };
  const find = async () =>
    await sessionsPage(
      { text: "wombat" },
      { source, searches, usages: { ...usages, close: () => undefined }, figures: "indexed" },
    );
  expect((await find()).sessions).toEqual([]);
  const added = "4bf3ffff-0000-4000-8000-00000000000a";
  const line = { uuid: "n1", parent: null, role: "user", content: "A wombat", time: "11:00:00" } as const;
  home.write(claudeFile(added), claudeText(added, [line]));
  const listedAt = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => listedAt + MACHINE_LIMITS.mostFirstListMs + 1);
  try {
    expect(await source.known()).toMatchObject({ isDue: true });
    expect((await find()).sessions).toMatchObject([{ sessionId: added }]);
  } finally {
    vi.restoreAllMocks();
    await searches.close();
  }
});

test("a sub-agent, which has no row of its own, is not counted as a match without a row", async () => {
  const line = { uuid: "s1", parent: null, role: "user", content: "A wombat", time: "11:00:00" } as const;
  const text = claudeText(CLAUDE_ID, [line]).replace('"isSidechain":false', '"isSidechain":true');
  home.write(claudeFile(`${CLAUDE_ID}/subagents/agent-1`), text);
  const rows = await createRowSource(placesOf()).rows();
  const searches = createTextSearches(optionsOf(), { waitMs: 60_000 });
  expect(await searches.find("wombat", rows)).toMatchObject({ sessions: [], withoutRow: 0 });
  await searches.close();
});

const NOTHING = { model: null, turns: null, tokens: null, costUsd: null, facts: null };

test("a search ends when the last page that waits for it leaves", async () => {
  const { promise: patterns, resolve } = Promise.withResolvers<readonly string[]>();
  const searches = createTextSearches({ ...optionsOf(), exclude: () => patterns }, { waitMs: 60_000 });
  const rows = await createRowSource(placesOf()).rows();
  const [one, two] = [new AbortController(), new AbortController()];
  const finds = [one, two].map(({ signal }) => searches.find("build", rows, { signal }));
  one.abort();
  const [first, second] = await Promise.all([
    Promise.race([finds[0]?.then(() => "answer"), Promise.resolve("nothing")]),
    Promise.resolve(resolve([])).then(() => finds[1]),
  ]);
  expect(first).toBe("nothing");
  expect(second?.sessions).toMatchObject([{ sessionId: CLAUDE_ID }]);
  const gone = Promise.withResolvers<readonly string[]>();
  const stopped = createTextSearches({ ...optionsOf(), exclude: () => gone.promise }, { waitMs: 60_000 });
  const last = new AbortController();
  const left = stopped.find("build", rows, { signal: last.signal });
  left.catch(() => undefined);
  last.abort();
  gone.resolve([]);
  await expect(left).rejects.toMatchObject({ name: "AbortError" });
  await Promise.all([searches.close(), stopped.close()]);
});

function placesOf() {
  return { home: home.path, cwd: home.path, env: {} };
}

function optionsOf() {
  return {
    places: placesOf(),
    exclude: () => Promise.resolve([]),
    onUnindexed: () => undefined,
    toTime: (text: string) => text,
  };
}

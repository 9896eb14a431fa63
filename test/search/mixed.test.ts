/** A search while a part of the sessions is in the index and the rest is not. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { updateTexts } from "@continuo/agents/catalog";
import { parseQuery, type SessionSearchResults, searchSessions } from "@continuo/agents/search";
import type { PlacesAt } from "@continuo/files";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claudeFile, claudeText, createHome, type Home } from "../cli/home.ts";
import { LATER } from "./grown-home.ts";

let home: Home;
let places: PlacesAt;
beforeEach(() => {
  home = createHome();
  places = { home: home.path, cwd: home.path, env: {} };
  // A file that was written a moment ago counts as changing.
  vi.spyOn(Date, "now").mockReturnValue(LATER);
});
afterEach(() => {
  vi.restoreAllMocks();
  home[Symbol.dispose]();
});

const NOW = Date.parse("2025-03-01T00:00:00Z");
/** More than a search indexes before it answers. */
const SESSIONS = 90;

/** Turns of different lengths, in which words are common, rare and repeated. */
function textOf(at: number): string {
  const words = [
    "Look for the needle",
    ...(at % 3 === 0 ? ["in the haystack"] : []),
    ...(at % 7 === 0 ? ["and for another needle"] : []),
    ...(at % 20 === 0 ? ["with a magnet"] : []),
    "in every corner of the barn ".repeat(at % 5),
    String(at),
  ];
  return words.join(" ");
}

function idOf(at: number): string {
  return `4bf3c2a1-0000-4000-8000-00000000${String(at).padStart(4, "0")}`;
}

function timeOf(at: number): string {
  return `10:${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
}

function writeSession(at: number, content = textOf(at), time = timeOf(at)): void {
  const id = idOf(at);
  home.write(claudeFile(id), claudeText(id, [{ uuid: `u${at}`, parent: null, role: "user", content, time }]));
}

async function find(words: string): Promise<SessionSearchResults> {
  return await searchSessions(parseQuery(words, { toTime: (text) => text }), {
    places,
    exclude: [],
    nowMs: NOW,
  });
}

function namesOf({ results }: SessionSearchResults): readonly string[] {
  return results.map(({ session }) => session.sessionId.slice(-4));
}

test.each(["needle", "needle haystack", "needle magnet", "how do I find the magnet in a haystack?"])(
  "a search for %j has one order, whatever part of the sessions is in the index",
  async (words) => {
    const all = [...Array(SESSIONS).keys()];
    for (const at of all.slice(0, 10)) writeSession(at);
    await updateTexts({ places });
    for (const at of all.slice(10)) writeSession(at);
    const mixed = await find(words);
    expect(mixed.notIndexed).toBe(SESSIONS - 10);
    rmSync(join(home.path, ".continuo"), { recursive: true });
    const files = await find(words);
    expect(files.notIndexed).toBe(SESSIONS);
    expect(mixed.total).toBeGreaterThan(0);
    expect(namesOf(mixed)).toEqual(namesOf(files));
  },
);

test.each(["needle", "needle haystack", "needle magnet"])(
  "a session that matches %j ranks the same in a large index and in its file",
  async (words) => {
    writeSession(0);
    const many = [...Array(1_200).keys()].map((at) => {
      return { uuid: `m${at}`, parent: null, role: "user" as const, content: textOf(at), time: "09:00:00" };
    });
    home.write(claudeFile(idOf(999)), claudeText(idOf(999), many));
    await updateTexts({ places });
    for (const at of Array(70).keys()) writeSession(20 * at + 20, textOf(0), "10:00:00");
    const { results, notIndexed } = await find(words);
    expect(notIndexed).toBe(70);
    const scores = results.filter(({ session }) => session.sessionId !== idOf(999)).map(({ score }) => score);
    expect(scores).toHaveLength(71);
    const [indexed = 0] = results
      .filter(({ session }) => session.sessionId === idOf(0))
      .map(({ score }) => score);
    for (const score of scores) expect(score / indexed).toBeCloseTo(1, 6);
  },
);

/** Tests of a search while a part of the sessions is in the index and the rest is not. Each size names its queries. */

import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { updateTexts } from "@continuo/agents/catalog";
import { parseQuery, type SessionSearchResults, searchSessions } from "@continuo/agents/search";
import { present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claudeFile, claudeText, createHome, type Home } from "../cli/home.ts";
import { LATER } from "./grown-home.ts";

export interface MixedQueries {
  readonly oneOrder: readonly string[];
  readonly sameRank: readonly string[];
  readonly best: readonly string[];
}

let home: Home;
let places: PlacesAt;

const NOW = Date.parse("2025-03-01T00:00:00Z");
/** The number is larger than a search indexes before it answers. */
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

async function find(words: string, limit?: number): Promise<SessionSearchResults> {
  return await searchSessions(parseQuery(words, { toTime: (text) => text }), {
    places,
    exclude: [],
    nowMs: NOW,
    ...present({ limit }),
  });
}

function namesOf({ results }: SessionSearchResults): readonly string[] {
  return results.map(({ session }) => session.sessionId.slice(-4));
}

/** Writes a session for each of 90 days, so that old ones rank so low that they are only counted. */
async function writeDays(): Promise<void> {
  for (const at of Array(SESSIONS).keys()) {
    const changed = new Date(NOW - at * 86_400_000);
    writeSession(at);
    const path = join(home.path, claudeFile(idOf(at)));
    writeFileSync(
      path,
      readFileSync(path, "utf8").replaceAll("2025-01-05", changed.toISOString().slice(0, 10)),
    );
    utimesSync(path, changed, changed);
  }
}

/** Each test has an empty home. */
function openHomes(): void {
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
}

export function testMixedSearch({ oneOrder, sameRank, best: ofBest }: MixedQueries): void {
  openHomes();
  test.each(oneOrder)(
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

  test.each(sameRank)(
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
      const scores = results
        .filter(({ session }) => session.sessionId !== idOf(999))
        .map(({ score }) => score);
      expect(scores).toHaveLength(71);
      const [indexed = 0] = results
        .filter(({ session }) => session.sessionId === idOf(0))
        .map(({ score }) => score);
      for (const score of scores) expect(score / indexed).toBeCloseTo(1, 6);
    },
  );

  test.each(ofBest)(
    "the best sessions for %j are the first of all, with the same turns, excerpts and scores, and the same number is found",
    async (words) => {
      await writeDays();
      const all = await find(words);
      for (const limit of [1, 3, 10, 200]) {
        const best = await find(words, limit);
        expect(best.results).toEqual(all.results.slice(0, limit));
        expect(best.total).toBe(all.total);
      }
    },
  );

  test("sessions move up among the best where own ones take the place of the native ones that they continue in", async () => {
    await writeDays();
    await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
    const ref = { model: null, location: null, cwd: null, baseSequence: 0, verifiedAt: null, state: "live" };
    const { results: before } = await find("needle", 5);
    for (const { session } of before) {
      const { sessionId } = await store.createSession({
        metadata: { providerSessions: { claude: { ...ref, sessionId: session.sessionId } } },
      });
      const content = [{ type: "text" as const, text: `one needle${" in a barn".repeat(5_000)}` }];
      await store.append(sessionId, [
        { id: `m${sessionId}`, type: "message_sent", actor: { kind: "person" }, data: { content } },
      ]);
    }
    const all = await find("needle");
    const best = await find("needle", 5);
    expect(best.results).toEqual(all.results.slice(0, 5));
    expect(best.total).toBe(all.total);
  });
}

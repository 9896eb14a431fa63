/** A search with a limit: SQLite returns only the best sessions, and counts the others. */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { type Texts, updateTexts } from "@continuo/agents/catalog";
import { parseQuery, type SearchResult, search } from "@continuo/agents/search";
import { present } from "@continuo/core/model";
import { indexPathOf, useIndex } from "@continuo/native/index-file";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { rankOf } from "../../packages/agents/src/search/query/index.ts";
import { CHUNK_CHARS } from "../../packages/native/src/index-file/limits.ts";
import { CLAUDE_ID, claudeText } from "../cli/home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { readNaively } from "./naive.ts";

const EQUAL = 6;

const scratch = scratchFolder("best-sessions");
const nowMs = Date.parse("2026-06-01T00:00:00Z");
let places: Places;
let texts: Texts;
/** The words of the sessions, those of most turns first. */
let words: readonly string[];

beforeAll(async () => {
  places = copyEveryCase(scratch);
  // These sessions have the same words and times. The one whose path comes first is the last that is indexed.
  const folder = join(scratch, "claude/projects/-equal");
  mkdirSync(folder);
  const line = { uuid: "e1", parent: null, role: "user", content: "potoroo", time: "10:00:00" } as const;
  for (let at = 0; at < EQUAL; at++) {
    const id = CLAUDE_ID.replace(/.$/u, String(at));
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, claudeText(id, [line]));
    utimesSync(path, 1_700_000_000 + at, 1_700_000_000 + at);
  }
  // The first turn is longer than a chunk, so the other two are in the next one, which has the newest turn.
  const times = [
    ["10:01:00", "10:00:00"],
    ["10:00:00", "10:00:00"],
    ["10:00:00", "10:01:30"],
  ] as const;
  for (const [at, [first, third]] of times.entries()) {
    const id = CLAUDE_ID.replace(/.$/u, String(EQUAL + at));
    const long = "long ".repeat(CHUNK_CHARS / 4);
    const turns = [
      { ...line, uuid: "q1", content: `quokka 12 ${long}`, time: first },
      { ...line, uuid: "q2", parent: "q1", content: "quokka", time: "10:02:00" },
      { ...line, uuid: "q3", parent: "q2", content: "quokka 12", time: third },
    ];
    writeFileSync(join(folder, `${id}.jsonl`), claudeText(id, turns));
  }
  texts = await updateTexts({ places });
  const counts = new Map<string, number>();
  for (const turn of await readNaively(places)) {
    for (const word of new Set(turn.texts.flat())) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  words = [...counts].toSorted(([, a], [, b]) => b - a).map(([word]) => word);
});

async function find(
  text: string,
  limit?: number,
  regex?: RegExp,
): Promise<{ readonly results: readonly SearchResult[]; readonly total: number }> {
  const query = parseQuery(text, { toTime: (time) => time, isEmptyAllowed: regex !== undefined });
  const used = await useIndex(indexPathOf(places), "read", (database) =>
    search(database, query, { sessions: texts.ready, nowMs, ...present({ limit, regex }) }),
  );
  if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
  const { results, total } = used.value;
  return { results, total };
}

test("a search with a limit returns the first results of one without a limit, and the same total", async () => {
  const word = fc.oneof(fc.constantFrom(...words.slice(0, 40)), fc.constantFrom(...words));
  const query = fc.record({
    words: fc.array(word, { minLength: 1, maxLength: 2 }),
    filter: fc.constantFrom("", "", "", "agent:codex", "-agent:claude", "role:user", "error:no"),
    limit: fc.integer({ min: 1, max: 12 }),
  });
  let beyond = 0;
  await fc.assert(
    fc.asyncProperty(query, async ({ words, filter, limit }) => {
      const text = `${filter} ${words.join(" ")}`.trim();
      const all = await find(text);
      expect(all.results).toHaveLength(all.total);
      beyond += Math.max(0, all.total - limit);
      expect(await find(text, limit), text).toEqual({
        results: all.results.slice(0, limit),
        total: all.total,
      });
    }),
    { numRuns: rounds(150) },
  );
  expect(beyond).toBeGreaterThan(rounds(150));
});

test("filters of turns and regular expressions with a limit return the first results of those without one", async () => {
  const query = fc.record({
    word: fc.constantFrom("", ...words.slice(0, 20)),
    filter: fc.constantFrom(
      "",
      "tool:bash",
      "-tool:read",
      "file:.",
      "-file:[",
      "since:2026-01-01",
      "-error:",
    ),
    regex: fc.constantFrom(undefined, /\d{3,}/u, /[A-Z][a-z]+\.$/u, /e/iu),
    limit: fc.integer({ min: 1, max: 12 }),
  });
  let [beyond, tested] = [0, 0];
  await fc.assert(
    fc.asyncProperty(query, async ({ word, filter, regex, limit }) => {
      const text = `${filter} ${word}`.trim();
      fc.pre(text !== "" || regex !== undefined);
      const all = await find(text, undefined, regex);
      expect(all.results).toHaveLength(all.total);
      for (const { turn, turns, excerpt } of regex === undefined ? [] : all.results) {
        const shown = turns.find(({ number }) => number === turn.number);
        expect(excerpt).toEqual(shown?.excerpt);
        for (const one of turns) expect(one.excerpt?.pieces.some(({ match }) => match)).toBe(true);
        tested += turns.length;
      }
      beyond += Math.max(0, all.total - limit);
      const results = all.results.slice(0, limit);
      expect(await find(text, limit, regex), `${text} ${regex}`).toEqual({ results, total: all.total });
    }),
    { numRuns: rounds(150) },
  );
  expect(Math.min(beyond, tested)).toBeGreaterThan(rounds(150));
});

test("of the turns that a regular expression matches, the newest is shown, and of equal ones the first", async () => {
  const { results } = await find("", 3, /quokka 12/gu);
  const shown = results.map(({ turn, turns }) => [turn.number, turns.map(({ number }) => number)]);
  expect(shown).toEqual([
    [3, [1, 3]],
    [1, [1, 3]],
    [1, [1, 3]],
  ]);
});

test("of sessions that rank equally, a search with a limit returns those that come first without a limit", async () => {
  const all = await find("potoroo");
  expect(all.total).toBe(EQUAL);
  expect(new Set(all.results.map(({ score }) => score)).size).toBe(1);
  for (let limit = 1; limit <= EQUAL; limit++) {
    expect(await find("potoroo", limit)).toEqual({ results: all.results.slice(0, limit), total: EQUAL });
  }
});

test("a session that another process is writing takes no place, and is not counted", async () => {
  const all = await find("potoroo");
  const mark = async (location: string | undefined, writer: string | null): Promise<void> => {
    await useIndex(indexPathOf(places), "write", (database) => {
      database
        .prepare("update sessions set writer = ? where source ->> '$.location' = ?")
        .run(writer, location ?? "");
    });
  };
  const [first, second] = all.results.map(({ session }) => session.location);
  await mark(first, "another process");
  expect((await find("potoroo", 1)).total).toBe(EQUAL - 1);
  expect((await find("potoroo", 1)).results.map(({ session }) => session.location)).toEqual([second]);
  await mark(first, null);
  expect(await find("potoroo")).toEqual(all);
});

test.each([
  null,
  "",
  "nonsense",
  "2026-05-20T10:00:00.000Z",
  "2026-05-20T10:00:00.123Z",
  "2026-05-20T12:00:00+02:00",
  "2026-05-20T10:00:00Z",
  "2026-05-20",
  "Wed, 20 May 2026 10:00:00 GMT",
  "2026-06-20T10:00:00.000Z",
])("a turn of the time %j ranks by this time, as when JavaScript reads it", async (at) => {
  const [word = ""] = words;
  const setTimes = async (time: string | null): Promise<void> => {
    await useIndex(indexPathOf(places), "write", (database) => {
      database.prepare("update turns set at = ?").run(time);
    });
  };
  // The time "nonsense" has no effect on the rank, so the score is that of the words.
  await setTimes("nonsense");
  const plain = await find(word);
  await setTimes(at);
  const timed = await find(word);
  const scoreOf = new Map(plain.results.map(({ session, score }) => [session.location, score]));
  expect(timed.total).toBe(plain.total);
  for (const { session, score } of timed.results) {
    const expected = rankOf({ at, score: scoreOf.get(session.location) ?? 0 }, session, nowMs);
    expect(score).toBeCloseTo(expected, 9);
  }
});

/** A search of sessions in their own files finds what the index finds, with the same ranks. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { openTexts, type Texts, updateTexts } from "@continuo/agents/catalog";
import {
  type BestMatch,
  parseQuery,
  type SearchQuery,
  type SearchResult,
  search,
  toBestMatch,
} from "@continuo/agents/search";
import { present } from "@continuo/core/model";
import { countTurns, indexPathOf, useIndex } from "@continuo/native/index-file";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  type TurnStatistics,
  toExpressions,
  toFormExpressions,
} from "../../packages/agents/src/search/query/index.ts";
import { createScan, type NativeSource } from "../../packages/agents/src/search/scanning/index.ts";
import type { ScannedResult } from "../../packages/agents/src/search/scanning/session-matcher.ts";
import { CLAUDE_ID, claudeText } from "../cli/home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { readNaively } from "./naive.ts";

const scratch = scratchFolder("scan");
let places: Places;
let sources: readonly NativeSource[];
let texts: Texts;
let words: string[];
let commonWords: string[];
/** The parts of names in code. */
let parts: string[];
let passages: (readonly string[])[];

beforeAll(async () => {
  places = copyEveryCase(scratch);
  const names = "readUserName and parseHTTPServer in anotherFileName, then readUserName again";
  const line = { uuid: "n1", parent: null, role: "user", content: names, time: "10:00:00" } as const;
  const folder = join(scratch, "claude/projects/-names");
  mkdirSync(folder);
  writeFileSync(join(folder, `${CLAUDE_ID}.jsonl`), claudeText(CLAUDE_ID, [line]));
  await using all = await openTexts({ places });
  sources = all.missing().flatMap(({ found }) => found ?? []);
  texts = await updateTexts({ places });
  const turns = await readNaively(places);
  words = [...new Set(turns.flatMap((turn) => turn.texts.flat()))];
  parts = [...new Set(turns.flatMap((turn) => [...turn.parts]))];
  const counts = new Map<string, number>();
  for (const turn of turns) {
    for (const one of new Set(turn.texts.flat())) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  commonWords = words.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0)).slice(0, 60);
  passages = turns.flatMap((turn) => turn.texts).filter((one) => one.length > 1);
});

interface Asking {
  readonly regex?: RegExp;
  readonly best?: BestMatch;
}

const nowMs = Date.parse("2026-06-01T00:00:00Z");
const parse = (text: string, isTyping = false): SearchQuery =>
  parseQuery(text, { toTime: (time) => time, isTyping, isEmptyAllowed: true });

async function fromIndex(query: SearchQuery, { regex, best }: Asking = {}): Promise<readonly SearchResult[]> {
  const used = await useIndex(indexPathOf(places), "read", (database) =>
    search(database, query, { sessions: texts.ready, nowMs, ...present({ regex, best }) }),
  );
  if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
  return used.value.results.map(({ session, ...result }) => {
    const { stamp: _, ...shown } = session as typeof session & { readonly stamp: string };
    return { session: shown, ...result };
  });
}

async function fromFiles(
  query: SearchQuery,
  { regex, best, leastScore }: Asking & { readonly leastScore?: number } = {},
): Promise<readonly ScannedResult[]> {
  const scan = createScan({
    query,
    best: best ?? null,
    nowMs,
    places,
    exclude: [],
    secrets: "shown",
    statistics: await statisticsOf(
      best === undefined ? toExpressions(query) : toFormExpressions(query, best),
    ),
    regex: regex === undefined ? null : { source: regex.source, flags: regex.flags },
  });
  const { results, unreadable } = await scan(sources, leastScore);
  expect(unreadable).toEqual([]);
  return results;
}

/** Returns the statistics of FTS5: the first of its own records has the number of words in all turns. */
async function statisticsOf(expressions: readonly string[]): Promise<TurnStatistics> {
  const used = await useIndex(indexPathOf(places), "read", (database) => {
    const turns = countTurns(database);
    const row = database.prepare("select block from words_data where id = 1").get();
    const [rows = 0, ...totals] = numbersIn(row?.block as Uint8Array);
    expect(rows).toBe(turns);
    const withPhrase = expressions.map((expression) => countTurns(database, expression));
    return { turns, withPhrase, meanWords: totals.reduce((sum, one) => sum + one, 0) / turns };
  });
  if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
  return used.value;
}

/** Reads numbers of SQLite, with seven bits per byte. */
function numbersIn(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

/** Returns rounded ranks, because the two computations add in different orders. */
function rounded(results: readonly SearchResult[]): unknown {
  return results
    .map(({ score, ...result }) => ({ ...result, score: score.toPrecision(9) }))
    .sort((a, b) => (a.session.location < b.session.location ? -1 : 1));
}

test("words, phrases, beginnings of words and words that are not there: the files answer as the index does", async () => {
  const word = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: fc.constantFrom(...parts) },
    fc.constant("nowhere"),
  );
  const phrase = fc
    .tuple(fc.constantFrom(...passages), fc.nat(), fc.integer({ min: 2, max: 3 }))
    .map(([all, at, length]) => `"${all.slice(at % all.length, (at % all.length) + length).join(" ")}"`);
  const query = fc.record({
    words: fc.array(word, { maxLength: 2 }),
    phrases: fc.array(phrase, { maxLength: 1 }),
    not: fc.array(word, { maxLength: 1 }),
    role: fc.constantFrom(
      "",
      "",
      "",
      "role:user",
      "role:assistant",
      "role:tool",
      "role:system",
      "-role:tool",
    ),
    injected: fc.constantFrom("searched" as const, "not searched" as const, "not searched" as const),
    isTyping: fc.boolean(),
  });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(query, async ({ words, phrases, not, role, isTyping, injected }) => {
      fc.pre(words.length + phrases.length > 0);
      const text = [role, ...not.map((one) => `-${one}`), ...phrases, ...words].join(" ").trim();
      const asked = { ...parse(text, isTyping), injected };
      const expected = await fromIndex(asked);
      found += expected.length;
      expect(rounded(await fromFiles(asked)), text).toEqual(rounded(expected));
    }),
    { numRuns: rounds(150) },
  );
  expect(found).toBeGreaterThan(rounds(150) / 2);
});

test.each([
  ["ran", "pi"],
  ["role:system title", "pi"],
  ['role:system "thinking level medium"', "pi"],
  ["role:system interrupted", "copilot"],
  ["mcp__shop__shot", "codex"],
])(
  "words that a reader itself adds, or joins from several fields, are found: %s of %s",
  async (text, agent) => {
    const asked = parse(text);
    const expected = await fromIndex(asked);
    expect(expected.map(({ session }) => session.agent)).toContain(agent);
    expect(rounded(await fromFiles(asked))).toEqual(rounded(expected));
  },
);

test("sessions that rank below a score are counted by single lines, and no other result changes", async () => {
  const query = fc.record({
    word: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...commonWords) },
      fc.constantFrom(...words, ...parts),
    ),
    role: fc.constantFrom("", "", "role:user", "role:assistant", "role:tool", "-role:tool", "-agent:codex"),
    injected: fc.constantFrom("searched" as const, "not searched" as const, "not searched" as const),
    isTyping: fc.boolean(),
    at: fc.nat(),
    more: fc.constantFrom(0, 1e-6, 0.1, 1, 1),
  });
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(query, async ({ word, role, injected, isTyping, at, more }) => {
      const asked = { ...parse(`${role} ${word}`.trim(), isTyping), injected };
      const all = await fromFiles(asked);
      fc.pre(all.length > 0);
      const leastScore = (all[at % all.length]?.score ?? 0) * (1 + more);
      const found = await fromFiles(asked, { leastScore });
      const places = (results: readonly SearchResult[]): string[] =>
        results.map(({ session }) => `${session.agent} ${session.sessionId} ${session.location}`).sort();
      expect(places(found), word).toEqual(places(all));
      const isHigh = ({ score }: SearchResult): boolean => score >= leastScore;
      expect(rounded(found.filter(isHigh)), word).toEqual(rounded(all.filter(isHigh)));
      counted += found.filter(({ briefOf, session }) => briefOf !== undefined && session.cwd === null).length;
    }),
    { numRuns: rounds(150) },
  );
  expect(counted).toBeGreaterThan(rounds(150));
});

test("filters and regular expressions: the files answer as the index does", async () => {
  const queries = [
    "error:",
    "tool:Bash",
    "file:src",
    "agent:codex the",
    "branch:main a",
    "project:app the",
    "error:no",
    "the -agent:codex",
    "the -tool:Bash -file:src",
    "the -branch:main -project:app",
    "-error: the -since:2025-12-01",
    "role:system the",
  ];
  for (const text of queries) {
    const asked = parse(text);
    expect(rounded(await fromFiles(asked)), text).toEqual(rounded(await fromIndex(asked)));
  }
  for (const regex of [/\d{3,}/u, /\d{3,}/gu, /\p{Script=Han}/u]) {
    const asked = parse("");
    expect(rounded(await fromFiles(asked, { regex }))).toEqual(rounded(await fromIndex(asked, { regex })));
  }
});

test("with most of the words, a search in files finds the same sessions and turns as the index", async () => {
  const placeOf = ({ session, turns }: SearchResult): string =>
    `${session.location} ${turns.map(({ number }) => number).join(" ")}`;
  let found = 0;
  for (let at = 0; at < rounds(60); at++) {
    const some = [7, 31, 59].map((step) => words[(at * step + step) % words.length] ?? "");
    const asked = { ...parse(some.join(" ")), isQuestion: true };
    const best = toBestMatch(asked, nowMs);
    if (best === null) continue;
    const expected = (await fromIndex(asked, { best })).map(placeOf).sort();
    found += expected.length;
    // The index counts the turns with any form of a word, the files those with its commonest form.
    const actual = new Set((await fromFiles(asked, { best })).map(placeOf));
    const missing = expected.filter((one) => !actual.has(one));
    expect(missing.length, some.join(" ")).toBeLessThanOrEqual(expected.length * 0.2);
  }
  expect(found).toBeGreaterThan(10);
});

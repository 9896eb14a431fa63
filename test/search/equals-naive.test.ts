import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Places } from "../../src/agents.ts";
import { type Texts, updateTexts } from "../../src/catalog/index.ts";
import { indexPathOf, useIndex } from "../../src/index-file/index.ts";
import { parseQuery, search } from "../../src/search/index.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { hasPhrase, type NaiveTurn, readNaively } from "./naive.ts";

let scratch: string;
let places: Places;
let texts: Texts;
let turns: NaiveTurn[];

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "continuo-search-"));
  places = copyEveryCase(scratch);
  texts = await updateTexts({ places });
  turns = await readNaively(places);
});
afterAll(() => rmSync(scratch, { recursive: true }));

async function find(text: string): Promise<string[]> {
  const query = parseQuery(text, { toTime: (time) => time });
  const used = await useIndex(indexPathOf(places), "read", (database) =>
    search(database, query, { sessions: texts.ready, nowMs: 0 }),
  );
  if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
  return used.value.results
    .flatMap(({ session, turns }) => turns.map(({ number }) => `${session.location} ${number}`))
    .sort();
}

function scan(matches: (turn: NaiveTurn) => boolean): string[] {
  return turns
    .filter(matches)
    .map(({ location, number }) => `${location} ${number}`)
    .sort();
}

const hasWord = (turn: NaiveTurn, word: string): boolean => hasPhrase(turn, [word]) || turn.parts.has(word);

test("a search for words, phrases and words that are not there equals a scan of every turn", async () => {
  const all = [...new Set(turns.flatMap((turn) => [...turn.texts.flat(), ...turn.parts]))];
  const lines = turns.flatMap((turn) => turn.texts).filter((words) => words.length > 1);
  const word = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...all) }, fc.constant("nowhere"));
  const phrase = fc
    .tuple(fc.constantFrom(...lines), fc.nat(), fc.integer({ min: 2, max: 4 }))
    .map(([words, at, length]) => words.slice(at % words.length, (at % words.length) + length));
  const pairs = turns.flatMap(({ texts }) =>
    texts.flatMap((words, at) => [[words.at(-1), texts[at + 1]?.[0]]]).filter(isPair),
  );
  const query = fc.record({
    words: fc.array(word, { maxLength: 2 }),
    phrases: fc.array(fc.oneof({ weight: 3, arbitrary: phrase }, fc.constantFrom(...pairs)), {
      maxLength: 1,
    }),
    not: fc.array(word, { maxLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(query, async ({ words, phrases, not }) => {
      fc.pre(words.length + phrases.length > 0);
      const text = [...words, ...phrases.map((one) => `"${one.join(" ")}"`), ...not.map((one) => `-${one}`)];
      const expected = scan(
        (turn) =>
          words.every((one) => hasWord(turn, one)) &&
          phrases.every((one) => hasPhrase(turn, one)) &&
          !not.some((one) => hasWord(turn, one)),
      );
      expect(await find(text.join(" "))).toEqual(expected);
    }),
    { numRuns: rounds(1_000) },
  );
});

/** The end of one text and the start of the next one, which are no phrase. */
function isPair(words: readonly (string | undefined)[]): words is string[] {
  return words.every((word) => word !== undefined);
}

test("every session of the cases can be searched, and every turn has a number", () => {
  expect({ left: texts.left, unreadable: texts.unreadable }).toEqual({ left: 0, unreadable: [] });
  expect(texts.ready.size).toBe(new Set(turns.map(({ location }) => location)).size);
  expect(turns.length).toBeGreaterThan(60);
});

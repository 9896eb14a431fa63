import { expect, test } from "vitest";
import { rankBestMatch, toBestMatch } from "./best-match.ts";
import { isQuestion } from "./function-words.ts";
import { parseQuery } from "./query.ts";

const NOW = Date.parse("2026-05-15T12:00:00Z");

function termsOf(text: string): readonly string[] | null {
  const match = toBestMatch(parseQuery(text, { toTime: (time) => time }), NOW);
  return match?.terms.map(({ forms }) => forms[0]?.phrase.words.join(" ") ?? "") ?? null;
}

test("a question becomes its words, without function words, and its pairs of neighbouring words", () => {
  expect(termsOf("Which port does the billing service listen on?")).toEqual([
    "port",
    "billing",
    "service",
    "listen",
    "billing servic",
    "service listen",
  ]);
  expect(termsOf("Where does my brother live?")).toContain("my broth");
  expect(termsOf("what did we decide about the cache last week?")).toEqual(["decide", "cache"]);
});

test("two neighbouring words are found as they were typed and with other forms of the second word", () => {
  const match = toBestMatch(parseQuery("hard copies", { toTime: (time) => time }), NOW);
  const pair = match?.terms.find(({ type }) => type === "pair");
  const texts = pair?.forms.map(({ phrase: { words, isPrefix } }) => words.join(" ") + (isPrefix ? "*" : ""));
  expect(texts?.slice(0, 2)).toEqual(["hard copy*", "hard copies"]);
});

test("a single word, and quoted words, must be present", () => {
  expect(termsOf("cache")).toBeNull();
  expect(termsOf('"cache" "keys"')).toBeNull();
  expect(termsOf('the "cache" of builds')).toBeNull();
});

test("a turn must have more than half of the words of a search field, and words of a script without spaces stay together", () => {
  const least = (text: string): number | undefined =>
    toBestMatch(parseQuery(text, { toTime: (time) => time }), NOW)?.leastWords;
  expect([least("cache keys"), least("cache keys expire"), least("which cache keys expire?")]).toEqual([
    2, 2, 1,
  ]);
  expect(termsOf("日本 png")).toEqual(["日 本", "png", "日 本 png"]);
});

test("a sentence that asks is a question, and words for a search field are not", () => {
  expect(["which port is it", "what broke?", "the port, which one?"].map(isQuestion)).toEqual([
    true,
    false,
    true,
  ]);
  expect(["retry backoff", "how", 'what is "it"?'].some(isQuestion)).toBe(false);
});

test("rare words, a named time and newer turns rank higher, and too few of the words do not count", () => {
  const match = toBestMatch(parseQuery("cache keys yesterday", { toTime: (time) => time }), NOW);
  if (match === null) throw new Error("these are two words");
  const day = (date: string): string => `2026-05-${date}T12:00:00Z`;
  const turn = (at: string, ...words: number[]) => ({ at, scores: words.map((score) => [score]) });
  const ranking = { match, rarity: [3, 1, 4], nowMs: NOW };
  const session = { updatedAt: null };
  const [old, inTime, few] = [turn(day("10"), 1, 1), turn(day("14"), 1, 1), turn(day("14"), 0, 1)];
  expect(rankBestMatch([old, inTime], session, ranking).map((one) => one.turn)).toEqual([inTime, old]);
  expect(rankBestMatch([few], session, ranking)).toEqual([]);
});

test("a turn that has only the common words of a search does not count", () => {
  const match = toBestMatch(parseQuery("cache keys expire", { toTime: (time) => time }), NOW);
  if (match === null) throw new Error("these are three words");
  const rankedWith = (...rarity: number[]) => {
    const turn = { at: null, scores: [[1], [1], [0]] };
    return rankBestMatch([turn], { updatedAt: null }, { match, rarity, nowMs: NOW });
  };
  expect([rankedWith(1, 1, 1), rankedWith(1, 1, 7)].map(({ length }) => length)).toEqual([1, 0]);
});

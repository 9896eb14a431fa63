import { expect, test } from "vitest";
import { firstEnd } from "./boundaries.ts";
import { clauseScore, SURE, timesOf } from "./clauses.ts";
import type { TimedWord } from "./types.ts";

/** Words without pauses between them, except where the text has one: `|300` is a pause of 300 ms. */
function said(text: string): readonly TimedWord[] {
  let nowMs = 0;
  return text.split(" ").flatMap((word) => {
    if (word.startsWith("|")) {
      nowMs += Number(word.slice(1));
      return [];
    }
    const s = nowMs;
    nowMs += 300;
    return [{ t: word, s, e: nowMs, p: 1 }];
  });
}

/** True if a sentence ends at the pause of the text. */
function endsAtPause(text: string, lang = "en"): boolean | null {
  const words = said(text);
  const at = text
    .split(" |")[0]
    ?.split(" ")
    .filter((word) => word !== "").length;
  const score = clauseScore({ words, times: timesOf(words), lang }, at ?? 0);
  return score === null ? null : score >= SURE;
}

const BEFORE = "the workers of the old hive feed the young queen in the dark comb";

test("a short pause ends a sentence if the words allow an end, and not after an article or a preposition", () => {
  expect(endsAtPause(`${BEFORE} |400 she lays eggs`)).toBe(true);
  expect(endsAtPause(`${BEFORE} |100 in summer`)).toBe(false);
  for (const last of ["the", "of", "with", "because", "she's"]) {
    expect(endsAtPause(`${BEFORE} ${last} |700 eggs grow`), last).toBe(false);
  }
  expect(endsAtPause(`${BEFORE} |400 of eggs`)).toBe(false);
  expect(
    endsAtPause("die alte mühle am fluss steht seit hundert jahren leer |400 wir kaufen sie", "de"),
  ).toBe(true);
  expect(endsAtPause("die alte mühle am fluss steht seit hundert jahren in der |700 stadt", "de")).toBe(
    false,
  );
  expect(
    endsAtPause("le vieux moulin au bord de la rivière est vide depuis longtemps |400 nous partons", "fr"),
  ).toBe(true);
  expect(endsAtPause("le vieux moulin au bord de la rivière est vide depuis les |700 années", "fr")).toBe(
    false,
  );
});

test("a conjunction is judged with the word after it: two words that it joins stay together", () => {
  expect(endsAtPause(`${BEFORE} |250 and`)).toBeNull();
  expect(endsAtPause(`${BEFORE} |250 and they sleep`)).toBe(true);
  expect(endsAtPause(`${BEFORE} |250 and honey`)).toBe(false);
});

test("no sentence begins with a pronoun before a preposition or another pronoun, because the pronoun is an object", () => {
  expect(endsAtPause(`${BEFORE} and put |400 it in`)).toBe(false);
  expect(endsAtPause(`${BEFORE} because they do |400 it somebody`)).toBe(false);
  expect(endsAtPause(`${BEFORE} |400 it grows`)).toBe(true);
  expect(endsAtPause(`${BEFORE} |400 it`)).toBeNull();
});

test("a short pause does not end a sentence of a few words, and a long pause ends every sentence", () => {
  expect(endsAtPause("so yes |500 we go")).toBe(false);
  expect(endsAtPause(`${BEFORE} a |2700 honey`)).toBe(true);
});

test("words that a page draws began between two examinations of the page", () => {
  const drawn = ["the", "queen", "lays"].map((t, n) => ({
    t,
    s: n === 2 ? 1_000 : 500,
    e: n === 2 ? 1_000 : 500,
    p: n,
  }));
  const times = timesOf(drawn);
  for (const [n, { startMs }] of times.entries()) {
    expect(startMs).toBeGreaterThanOrEqual((drawn[n]?.s ?? 0) - 500);
    expect(startMs).toBeLessThanOrEqual(drawn[n]?.s ?? 0);
    expect(startMs).toBeGreaterThan(times[n - 1]?.startMs ?? -1);
  }
});

test("words less than 300 ms apart show that each change of the page is followed: they began when they were seen", () => {
  const drawn = ["the", "queen", "lays", "eggs"].map((t, n) => ({
    t,
    s: 1_000 + n * 250,
    e: 1_000 + n * 250,
    p: n,
  }));
  for (const [n, { startMs }] of timesOf(drawn).entries()) {
    expect(startMs).toBeGreaterThanOrEqual((drawn[n]?.s ?? 0) - 50);
    expect(startMs).toBeLessThanOrEqual(drawn[n]?.s ?? 0);
  }
});

test("after sentences of a few words an end needs a higher score, except at a pause of more than a second", () => {
  const words = said("the miller of the town sleeps |700 the gate stays shut");
  const long = said("the miller of the town sleeps |1500 the gate stays shut");
  const options = { lang: "en", isPlain: true, sure: SURE + 4 };
  expect(firstEnd(words, options, 1)).toBeNull();
  expect(firstEnd(long, options, 1)).toEqual({ at: 6, isCut: false });
});

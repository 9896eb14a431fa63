/** Notes on the talks of the corpus, by the writer that needs no model. */

import type { EvidenceItem } from "@continuo/live";
import { expect, test } from "vitest";
import { draftsOf, itemsOf } from "./drafts.ts";
import { type Talk, talksIn } from "./draw.ts";
import { type Measure, measure, sumOf } from "./measure.ts";
import { expectWholeSentences } from "./plain-captions.ts";

test.each(["tune", "final"] as const)(
  "without a model the notes on the talks of %s cover 80 % of the thoughts at their times, with whole sentences",
  async (folder) => {
    const measures: Measure[] = [];
    for (const talk of talksIn(folder)) measures.push(measure(talk, await draftsOf(itemsOf(talk), 20)));
    const { thoughts, covered, notes, medianErrorMs, halves, sentences } = sumOf(measures);
    expect(covered / thoughts).toBeGreaterThanOrEqual(0.8);
    expect(notes / thoughts).toBeLessThanOrEqual(1.3);
    expect(medianErrorMs).toBeLessThanOrEqual(1_000);
    expect(sentences).toBeGreaterThan(50);
    expect(halves).toEqual([]);
  },
);

test("without a model the notes on talks that somebody else wrote and judged cover 80 % of the thoughts at their times", async () => {
  const measures: Measure[] = [];
  for (const talk of talksIn("judged")) measures.push(measure(talk, await draftsOf(itemsOf(talk), 20)));
  const { thoughts, covered, notes, medianErrorMs, halves, sentences } = sumOf(measures);
  expect(thoughts).toBe(82);
  expect(covered / thoughts).toBeGreaterThanOrEqual(0.8);
  expect(notes / thoughts).toBeLessThanOrEqual(1.3);
  expect(medianErrorMs).toBeLessThanOrEqual(200);
  expect(sentences).toBeGreaterThan(200);
  expect(halves).toEqual([]);
});

test("without a model the notes are as good on talks and interviews on which nobody had seen a note before", async () => {
  const measures: Measure[] = [];
  for (const talk of talksIn("blind")) measures.push(measure(talk, await draftsOf(itemsOf(talk), 20)));
  const { thoughts, covered, notes, medianErrorMs, halves, sentences } = sumOf(measures);
  expect(thoughts).toBe(64);
  expect(covered / thoughts).toBeGreaterThanOrEqual(0.8);
  expect(notes / thoughts).toBeLessThanOrEqual(1.3);
  expect(medianErrorMs).toBeLessThanOrEqual(200);
  expect(sentences).toBeGreaterThan(150);
  expect(halves).toEqual([]);
});

test.each([
  ["words", "long", 0.85],
  ["windows", "short", 0.8],
] as const)(
  "captions without punctuation that are drawn as %s with %s pauses give whole sentences that cover the thoughts",
  async (style, pauses, share) => await expectWholeSentences({ style, pauses }, share),
);

test("the notes do not depend on how captions are batched, also with seeks", async () => {
  for (const talk of talksIn("tune")) {
    const items = itemsOf(talk);
    const content = async (batchSize: number): Promise<readonly object[]> =>
      (await draftsOf(items, batchSize)).map(({ draftId: _, ...draft }) => draft);
    const whole = await content(items.length);
    expect(whole.length).toBeGreaterThan(1);
    for (const size of [1, 7]) expect(await content(size), `${talk.name} by ${size}`).toEqual(whole);
  }
});

test("a text of 90,000 characters is read whole, and other work gets its turn every few milliseconds", async () => {
  const [item] = itemsOf(talksIn("tune")[0] as Talk);
  const said =
    "The harbour opens at dawn, and the ships wait until six. Then the owner lights the lamp on the pier. ";
  const text = `${said.repeat(880)}The last sentence is about whales and amber.`;
  let turns = 0;
  const watch = new AbortController();
  const watching = (async () => {
    for (; !watch.signal.aborted; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  const drafts = await draftsOf(
    [{ ...(item as EvidenceItem), text, startMs: 0, endMs: 5_400_000, lang: "en" }],
    1,
  );
  watch.abort();
  await watching;
  expect(drafts.at(-1)?.endMs).toBe(5_400_000);
  expect(turns).toBeGreaterThan(10);
});

test("an hour of talk gives at most 60 notes without greetings, each with its evidence", async () => {
  const talks = talksIn("tune").filter(({ lang, name }) => lang === "en" && name !== "seeks");
  const items: EvidenceItem[] = [];
  let startMs = 0;
  for (let round = 0; startMs < 3_600_000; round++) {
    const talk = talks[round % talks.length] as Talk;
    for (const item of itemsOf(talk)) {
      const sequence = items.length + 1;
      const times = { startMs: startMs + item.startMs, endMs: startMs + item.endMs };
      items.push({ ...item, ...times, sequence, id: `e${sequence}` });
    }
    startMs += talk.spokenMs;
  }
  const drafts = await draftsOf(items, 60);
  expect(drafts.length).toBeGreaterThan(40);
  expect(drafts.length).toBeLessThanOrEqual(60);
  for (const { text, evidence } of drafts) {
    expect(text.length).toBeLessThanOrEqual(600);
    expect(evidence.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/welcome back|thanks so much|see you next week/iu);
  }
});

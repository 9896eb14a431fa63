/** When the video is paused, moved or over, the open thought gets its note at once, and no sentence is cut in half. */

import type { EvidenceInput, PlaybackInput } from "@continuo/core/wire";
import { extractiveWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const SENTENCES = [
  "The lighthouse of the island was built in 1871 by two brothers from the harbour.",
  "They carried every stone over the causeway, which the tide covers twice a day.",
  "The lamp burned oil of seals until the keeper bought a generator.",
  "Since then the light reaches the ships that pass beyond the reef.",
] as const;

/** A sentence every five seconds, word by word, as a page draws it; the speaker never pauses. */
function wordsOf(sentences: readonly string[], fromMs = 0): readonly EvidenceInput[] {
  return sentences.flatMap((sentence, n) => {
    const words = sentence.split(" ");
    const atMs = (at: number): number => Math.round(fromMs + n * 5_000 + (at * 5_000) / words.length);
    return words.map((word, at) => said(word, atMs(at), { endMs: atMs(at + 1) }));
  });
}

function stop(state: PlaybackInput["state"], mediaTimeMs: number): EvidenceInput {
  return { type: "playback_changed", state, mediaTimeMs };
}

/** Sends each word when it is said. */
async function speak(live: LiveTest, words: readonly EvidenceInput[]): Promise<void> {
  for (const word of words) {
    await live.send("k", word);
    const { mediaTimeMs = 0, endMs = 0 } = word as { readonly mediaTimeMs?: number; readonly endMs?: number };
    await live.clock.advance(endMs - mediaTimeMs);
  }
}

/** Returns the texts of the notes 100 ms after a stop. */
async function notesAfter(live: LiveTest, one: EvidenceInput): Promise<readonly string[]> {
  await live.send("k", one);
  await live.clock.advance(100);
  return (await live.service.notes("k")).map(({ text }) => text);
}

async function extractive(more: Parameters<typeof liveTest>[0] = {}): Promise<LiveTest> {
  const live = await liveTest({ noteWriters: [extractiveWriter()], ...more });
  await live.service.open("k", { videoId: "v" });
  return live;
}

test.each(["paused", "moved", "ended"] as const)(
  "unbroken speech gets its note at once when the video is %s",
  async (state) => {
    await using live = await extractive();
    await speak(live, wordsOf(SENTENCES));
    expect(await live.service.notes("k")).toEqual([]);
    const [text, ...others] = await notesAfter(live, stop(state, 20_000));
    expect(others).toEqual([]);
    expect(SENTENCES.some((sentence) => text?.includes(sentence))).toBe(true);
    const [note] = await live.service.notes("k");
    expect(note).toMatchObject({ startMs: 0 });
    // Nothing remains to be written at the end of the silence.
    await live.clock.advance(60_000);
    expect(await live.service.notes("k")).toHaveLength(1);
  },
);

test("a sentence that a pause of the video interrupts continues when it plays again, and is whole in its note", async () => {
  await using live = await extractive();
  const words = wordsOf(SENTENCES);
  const cut = words.length - 5;
  await speak(live, words.slice(0, cut));
  const atMs = (words[cut] as { readonly mediaTimeMs: number }).mediaTimeMs;
  const before = await notesAfter(live, stop("paused", atMs));
  expect(before).toHaveLength(1);
  expect(before[0]).not.toContain("Since then");
  expect(before[0]).toMatch(/\.$/u);
  await live.clock.advance(20_000);
  await speak(live, words.slice(cut));
  const after = await notesAfter(live, stop("ended", 20_000));
  expect(after.at(-1)).toBe(SENTENCES[3]);
});

test("if a person pauses within a sentence and goes back a few seconds, the note has the whole sentence", async () => {
  await using live = await extractive();
  const words = wordsOf(SENTENCES);
  const cut = words.length - 5;
  await speak(live, words.slice(0, cut));
  const atMs = (words[cut] as { readonly mediaTimeMs: number }).mediaTimeMs;
  await notesAfter(live, stop("paused", atMs));
  await live.clock.advance(5_000);
  await live.send("k", stop("moved", atMs));
  await live.clock.advance(5_000);
  await speak(live, words.slice(cut - 4));
  const texts = await notesAfter(live, stop("ended", 20_000));
  expect(texts.at(-1)).toBe(SENTENCES[3]);
  expect(texts).toHaveLength(2);
});

test("captions without punctuation get their note at once too, unless their last word needs a following word", async () => {
  const plain = SENTENCES.map((sentence) => sentence.toLowerCase().replace(/[.,]/gu, ""));
  for (const hanging of [false, true]) {
    await using live = await extractive();
    const words = wordsOf(hanging ? [...plain, "the keeper of the"] : plain);
    await speak(live, words);
    const texts = (await notesAfter(live, stop("paused", 24_000))).join(" ");
    expect(texts).not.toBe("");
    expect(texts).not.toMatch(/\bthe\.?$/iu);
  }
});

test("words that were recorded before the pause, and are transcribed after it, end their thought at once", async () => {
  await using live = await extractive();
  await speak(live, wordsOf(SENTENCES.slice(0, 2)));
  expect(await notesAfter(live, stop("paused", 20_000))).toHaveLength(1);
  await live.clock.advance(3_000);
  await live.send("k", said(SENTENCES.slice(2).join(" "), 10_000, { endMs: 20_000 }));
  await live.clock.advance(6_000);
  expect((await live.service.notes("k")).map(({ startMs }) => startMs)).toEqual([0, 10_000]);
  // The video continues: the following words are a new thought, which ends by its own rules.
  await speak(live, wordsOf(SENTENCES.slice(0, 2), 20_000));
  expect(await live.service.notes("k")).toHaveLength(2);
});

test("a pause loses no words, even if there is no room for another note", async () => {
  await using live = await extractive();
  for (let n = 0; n < 30; n++) {
    await speak(
      live,
      wordsOf([`Stone ${n} of the tower came from quarry ${n * 7} on the coast.`], n * 5_000),
    );
    await live.send("k", stop("paused", (n + 1) * 5_000));
    await live.clock.advance(100);
  }
  const count = (await live.service.notes("k")).length;
  expect(count).toBeGreaterThan(15);
  expect(count).toBeLessThan(30);
  await live.service.close("k");
  const last = (await live.service.notes("k")).at(-1);
  expect(last?.endMs).toBeGreaterThanOrEqual(145_000);
});

test("a session with two lanes ends its thought at a pause too", async () => {
  await using live = await liveTest({ noteWriters: [extractiveWriter()] });
  await live.service.open("k", { videoId: "v", lanes: "split" });
  await speak(live, wordsOf(SENTENCES));
  expect(await notesAfter(live, stop("paused", 20_000))).toHaveLength(1);
});

test("at a pause a model is asked at once, with whole sentences, unless the pause had no words before it", async () => {
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  await live.send("k", stop("paused", 0));
  await live.clock.advance(30_000);
  expect(live.writer.requests).toEqual([]);
  await live.send("k", said(SENTENCES[0], 0, { endMs: 5_000 }));
  await live.clock.advance(100);
  await live.send("k", stop("paused", 5_000));
  await live.clock.advance(100);
  expect(live.writer.requests.map(({ speech }) => speech)).toEqual(["paused"]);
  await live.send("k", stop("moved", 5_000), stop("paused", 60_000));
  await live.clock.advance(30_000);
  expect(live.writer.requests).toHaveLength(1);
  await live.send("k", said(SENTENCES[1], 60_000, { endMs: 65_000 }), stop("ended", 65_000));
  await live.clock.advance(100);
  // Nothing follows, so words that look like half a sentence must be written too.
  expect(live.writer.requests.at(-1)?.speech).toBeUndefined();
  expect(live.writer.requests).toHaveLength(2);
});

test("a stop is critical evidence in the log, but is not shown to a model and cannot be cited", async () => {
  await using live = await extractive();
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  await speak(live, wordsOf(SENTENCES));
  await notesAfter(live, stop("paused", 20_000));
  const events = await allEvents(live.store, sessionId);
  const [stopped] = events.filter(({ type }) => type === "playback_changed");
  expect(stopped).toMatchObject({ retention: "critical", data: { state: "paused", mediaTimeMs: 20_000 } });
  const [note] = await live.service.notes("k");
  expect(note?.evidence).not.toContain(stopped?.id);
  expect((await live.service.replay("k", "recorded")).agreement).toBe(1);
});

/** A model receives sentences instead of pieces of captions, and its notes have the times of sentences. */

import type { Agent } from "@continuo/core/model";
import { agentWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { liveTest, said } from "../live-session.ts";

interface Shown {
  readonly name: string;
  readonly text: string;
  readonly startMs: number;
}

/** Writes one note for each sentence, and invents a time if the test asks for it. */
function sentenceAgent(timeOf: (one: Shown) => number): Agent & { readonly shown: Shown[][] } {
  const shown: Shown[][] = [];
  return {
    name: "sentences",
    shown,
    execute: async ({ input }, { onEvent }) => {
      const [block] = input;
      const prompt = block?.type === "text" ? block.text : "";
      const { evidence } = JSON.parse(prompt.slice(prompt.lastIndexOf("\n\n{"))) as { evidence: Shown[] };
      shown.push(evidence);
      const drafts = evidence.map((one) => ({
        text: `Note: ${one.text}`,
        startMs: timeOf(one),
        endMs: one.startMs + 1_000,
        confidence: 0.9,
        evidence: [one.name],
      }));
      await onEvent({ type: "text", delta: JSON.stringify({ drafts, memory: "" }), messageId: "a" });
      return { usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

const WORDS = "The queen lays the eggs. The workers feed her.".split(" ");
const MORE = [...WORDS, "Drones", "fly", "out."];

test("a model receives whole sentences of captions that arrive word by word, each with all its pieces", async () => {
  const agent = sentenceAgent(({ startMs }) => startMs);
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  await live.send(
    "k",
    ...WORDS.map((word, n) => said(word, n * 400, { endMs: n * 400 + 350, speaker: "film" })),
  );
  await live.settle();
  await live.service.close("k");
  expect(agent.shown).toHaveLength(1);
  expect(agent.shown[0]?.map(({ name, text, startMs }) => [name, text, startMs])).toEqual([
    ["e1", "The queen lays the eggs.", 0],
    ["e2", "The workers feed her.", 2_000],
  ]);
  const notes = await live.service.notes("k");
  expect(notes.map(({ startMs, evidence }) => [startMs, evidence.length])).toEqual([
    [0, 5],
    [2_000, 4],
  ]);
});

test("a sentence that begins in one batch and ends in the next one is shown whole with the next one", async () => {
  const agent = sentenceAgent(({ startMs }) => startMs);
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  for (const words of [WORDS.slice(0, 3), WORDS.slice(3)]) {
    const from = WORDS.indexOf(words[0] ?? "");
    await live.send(
      "k",
      ...words.map((word, n) => said(word, (from + n) * 400, { endMs: (from + n) * 400 + 350 })),
    );
    await live.clock.advance(13_000);
  }
  expect(agent.shown.map((evidence) => evidence.map(({ text }) => text))).toEqual([
    ["The queen lays"],
    ["The queen lays the eggs.", "The workers feed her."],
  ]);
});

test("a time that a model invents becomes the time of the sentence that its note is about", async () => {
  const agent = sentenceAgent(({ startMs }) => (startMs === 0 ? 900_000 : startMs + 700));
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", ...WORDS.map((word, n) => said(word, n * 400, { endMs: n * 400 + 350 })));
  await live.settle();
  await live.service.close("k");
  expect((await live.service.notes("k")).map(({ startMs }) => startMs)).toEqual([0, 2_000]);
});

test("after a seek back into a sentence, a model receives the sentence once, whole, and is not asked about it again", async () => {
  const agent = sentenceAgent(({ startMs }) => startMs);
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  const say = async (words: readonly string[]): Promise<void> => {
    const from = MORE.indexOf(words[0] ?? "");
    const pieces = words.map((word, n) => said(word, (from + n) * 400, { endMs: (from + n) * 400 + 350 }));
    await live.send("k", ...pieces);
    await live.clock.advance(13_000);
  };
  await say(WORDS);
  // Everything from "lays" on is heard again: first by itself, then with the following words.
  await say(MORE.slice(2, 7));
  await say(MORE.slice(7));
  expect(agent.shown.map((evidence) => evidence.map(({ text }) => text))).toEqual([
    ["The queen lays the eggs.", "The workers feed her."],
    ["Drones fly out."],
  ]);
});

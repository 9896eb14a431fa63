/**
 * Notes on the talks of the corpus by a scripted model, which knows the sentences of each thought and sees only what
 * the engine shows it. The effect of batches, updates and merges on its notes is measured as for the writer without a
 * model.
 */

import type { Agent, Block } from "@continuo/core/model";
import { agentWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { isClosed } from "../../../packages/live/src/sentences/index.ts";
import { liveTest } from "../live-session.ts";
import { type JudgedThought, type Talk, talksIn } from "./draw.ts";
import { type Measure, measure, sumOf } from "./measure.ts";

interface Shown {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly open?: true;
}

interface Scripted extends Agent {
  calls: number;
  /** Pictures that were attached to its requests. */
  pictures: number;
}

/** The largest distance at which a sentence begins with its thought. */
const NEAR_MS = 1_000;
const FRAME_EVERY_MS = 10_000;
const SENTENCES = 3;

/**
 * For each thought of which it was shown something new, it writes the sentence with which the thought begins and those that
 * have its key words. It waits for the rest of a sentence that is still said, as its prompt asks.
 */
function scriptedModel({ thoughts }: Talk): Scripted {
  const known = new Map<JudgedThought, Map<number, Shown>>();
  const written = new Map<JudgedThought, string>();
  const model: Scripted = {
    name: "scripted model",
    calls: 0,
    pictures: 0,
    execute: async ({ input }, { onEvent }) => {
      model.calls++;
      model.pictures += input.filter((block) => block.type === "image").length;
      const fresh = new Set<JudgedThought>();
      const { evidence: heard, context } = materialIn(input);
      for (const one of heard) {
        const thought = thoughts.findLast(({ startMs }) => startMs <= one.startMs + NEAR_MS / 2);
        if (thought === undefined || one.open === true || !isNeeded(one, thought)) continue;
        const sentences = known.get(thought) ?? new Map<number, Shown>();
        known.set(thought, sentences.set(one.startMs, one));
        fresh.add(thought);
      }
      const drafts = [...fresh].flatMap((thought) => {
        const needed = [...(known.get(thought)?.values() ?? [])]
          .toSorted((a, b) => a.startMs - b.startMs)
          .slice(0, SENTENCES);
        const text = needed.map((one) => (isClosed(one.text) ? one.text : `${one.text}.`)).join(" ");
        if (written.get(thought) === text) return [];
        written.set(thought, text);
        const startMs = needed[0]?.startMs ?? thought.startMs;
        // It cites evidence that this request names, including evidence from before the batch.
        const places = new Set(needed.map((one) => one.startMs));
        const evidence = [...context, ...heard]
          .filter((one) => places.has(one.startMs))
          .map(({ name }) => name);
        return [{ text, startMs, endMs: needed.at(-1)?.endMs ?? startMs, confidence: 0.9, evidence }];
      });
      await onEvent({ type: "text", delta: JSON.stringify({ drafts, memory: "" }), messageId: "a" });
      return { usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  return model;
}

interface Material {
  readonly evidence: readonly Shown[];
  readonly context: readonly Shown[];
}

function materialIn(input: readonly Block[]): Material {
  const [block] = input;
  const prompt = block?.type === "text" ? block.text : "";
  const { evidence, context } = JSON.parse(prompt.slice(prompt.lastIndexOf("\n\n{"))) as Material;
  const isSpoken = ({ type }: Shown): boolean => type === "transcript_added";
  return { evidence: evidence.filter(isSpoken), context: context.filter(isSpoken) };
}

function isNeeded(one: Shown, thought: JudgedThought): boolean {
  return Math.abs(one.startMs - thought.startMs) <= NEAR_MS || hasKey(one, thought);
}

function hasKey({ text }: Shown, { keys }: JudgedThought): boolean {
  const words = text.toLowerCase();
  return keys.some((some) => some.some((word) => words.includes(word)));
}

/** Plays a talk with a frame every ten seconds. */
async function watch(talk: Talk, model: Scripted): Promise<Measure> {
  await using live = await liveTest({ noteWriters: [agentWriter({ agent: model })] });
  await live.service.open("k", { videoId: talk.name });
  const beganMs = live.clock.now();
  let frameMs = 0;
  for (const { atMs, text, mediaTimeMs, endMs } of talk.pieces) {
    await live.clock.advance(Math.max(0, beganMs + atMs - live.clock.now()));
    if (atMs >= frameMs) {
      const { hash, sizeBytes } = await live.store.putBlob(Buffer.from(`${talk.name} ${atMs}`), {
        mediaType: "image/jpeg",
      });
      const full = { hash, sizeBytes, mediaType: "image/jpeg" };
      await live.send("k", { type: "frame_captured", mediaTimeMs, full });
      frameMs = atMs + FRAME_EVERY_MS;
    }
    await live.send("k", { type: "transcript_added", text, mediaTimeMs, endMs, lang: talk.lang });
  }
  await live.service.close("k");
  return measure(talk, await live.service.notes("k"));
}

test.each(["tune", "final", "judged"] as const)(
  "with a scripted model, which sees pictures, the notes on the talks of %s cover 80 % of the thoughts at their times",
  async (folder) => {
    const measures: Measure[] = [];
    for (const talk of talksIn(folder)) {
      const model = scriptedModel(talk);
      measures.push(await watch(talk, model));
      expect(model.pictures, talk.name).toBeGreaterThanOrEqual(talk.spokenMs / FRAME_EVERY_MS / 2);
    }
    const { thoughts, covered, notes, medianErrorMs, halves, sentences } = sumOf(measures);
    expect(covered / thoughts).toBeGreaterThanOrEqual(0.8);
    expect(notes / thoughts).toBeLessThanOrEqual(1.3);
    expect(medianErrorMs).toBeLessThanOrEqual(1_000);
    expect(sentences).toBeGreaterThan(50);
    expect(halves).toEqual([]);
  },
  600_000,
);

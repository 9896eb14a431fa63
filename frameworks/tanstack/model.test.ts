/** Our stream answers as `memoryStream` of TanStack AI does, whatever is asked of it and in which order. */

import { memoryStream, type StreamChunk, type UpsertableStreamDurability } from "@tanstack/ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "../../packages/store/src/store/index.ts";
import { continuoStream } from "../../packages/tanstack/src/index.ts";

/** `CONTINUO_RUNS` is the number of random sequences; 300 without it. */
const RUNS = Number(process.env.CONTINUO_RUNS ?? 300);

const chunk = (delta: string): StreamChunk =>
  ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta, timestamp: 1 }) as unknown as StreamChunk;

const text = fc.string({ maxLength: 8 });
/** Places around those that are there; 0 and negative ones are no offsets, and `other` is one of another run. */
const place = fc.oneof(
  fc.integer({ min: -1, max: 14 }),
  fc.constant("other" as const),
  fc.constant("none" as const),
);
const command = fc.oneof(
  fc.record({ type: fc.constant("append" as const), texts: fc.array(text, { maxLength: 4 }) }),
  fc.record({
    type: fc.constant("upsert" as const),
    entries: fc.array(fc.tuple(place, text), { maxLength: 4 }),
    hole: fc.boolean(),
  }),
  fc.record({ type: fc.constant("snapshot" as const) }),
  fc.record({
    type: fc.constant("read" as const),
    from: fc.oneof(place, fc.constant("-1"), fc.constant("now")),
  }),
  fc.record({ type: fc.constant("close" as const) }),
  fc.record({ type: fc.constant("restart" as const) }),
);
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

interface Side {
  readonly prefix: string;
  readonly runId: string;
  stream: UpsertableStreamDurability;
  open(): UpsertableStreamDurability;
}

function offsetOf(side: Side, at: number | string): string {
  if (at === "-1" || at === "now") return at;
  if (at === "none") return "none";
  return at === "other" ? `${side.prefix}other:1` : `${side.prefix}${side.runId}:${at}`;
}

/** A reader that leaves as soon as nothing comes. */
async function readAll(stream: UpsertableStreamDurability, offset: string): Promise<unknown> {
  const read: unknown[] = [];
  const leaving = new AbortController();
  const timer = (): NodeJS.Timeout => setTimeout(() => leaving.abort(), 60);
  let waiting = timer();
  for await (const entry of stream.read(offset, leaving.signal)) {
    clearTimeout(waiting);
    read.push(entry);
    waiting = timer();
  }
  clearTimeout(waiting);
  return read;
}

async function answerOf(side: Side, one: Command): Promise<unknown> {
  const { stream } = side;
  switch (one.type) {
    case "append":
      return await stream.append(one.texts.map(chunk));
    case "upsert": {
      const entries = one.entries.map(([at, words]) => ({ offset: offsetOf(side, at), chunk: chunk(words) }));
      if (one.hole) entries.length += 1;
      return await stream.upsert(entries);
    }
    case "snapshot":
      return await stream.snapshot();
    case "read":
      return await readAll(stream, offsetOf(side, one.from));
    case "close":
      return await stream.close();
    default:
      side.stream = side.open();
      return side.stream.resumeFrom();
  }
}

/** The answer without the name of whose it is; every refusal is the same. */
async function plain(side: Side, one: Command): Promise<string> {
  try {
    const answer = JSON.stringify(await answerOf(side, one)) ?? "nothing";
    return answer.replaceAll(side.prefix, "");
  } catch {
    return "refused";
  }
}

test("random calls are answered as memoryStream answers them", async () => {
  await using store = await openStore("memory:");
  let runs = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
      const runId = `run-${++runs}`;
      const theirs = (): UpsertableStreamDurability => memoryStream({ runId }, { firstChunkDeadlineMs: 20 });
      const ours = (): UpsertableStreamDurability =>
        continuoStream(store, { runId }, { firstChunkDeadlineMs: 20 });
      const sides: Side[] = [
        { prefix: "memory:v1:", runId, stream: theirs(), open: theirs },
        { prefix: "continuo:v1:", runId, stream: ours(), open: ours },
      ];
      for (const one of commands) {
        const [expected, answer] = await Promise.all(sides.map((side) => plain(side, one)));
        expect({ one, answer }).toEqual({ one, answer: expected });
        if (answer === "refused") refused++;
      }
    }),
    { numRuns: RUNS },
  );
  expect(refused).toBeGreaterThan(RUNS / 10);
}, 300_000);

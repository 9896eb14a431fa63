/** Our stream answers random sequences of calls as `memoryStream` of TanStack AI does. */

import { memoryStream, type StreamChunk, type UpsertableStreamDurability } from "@tanstack/ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "../../packages/store/src/store/index.ts";
import { continuoStream } from "../../packages/tanstack/src/index.ts";

/** `CONTINUO_RUNS` is the number of random sequences (300 by default). */
const RUNS = Number(process.env.CONTINUO_RUNS ?? 300);

const chunk = (delta: string): StreamChunk =>
  ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta, timestamp: 1 }) as unknown as StreamChunk;

const text = fc.string({ maxLength: 8 });
/** Offsets near those that exist; 0 and negative numbers are not offsets, and `other` is an offset of another run. */
const place = fc.oneof(
  fc.integer({ min: -1, max: 20 }),
  fc.constant("other" as const),
  fc.constant("none" as const),
);
const command = fc.oneof(
  {
    arbitrary: fc.record({ type: fc.constant("append" as const), texts: fc.array(text, { maxLength: 4 }) }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("upsert" as const),
      entries: fc.array(fc.tuple(place, text), { maxLength: 4 }),
      hole: fc.nat(4).map((chance) => chance === 0),
    }),
    weight: 2,
  },
  {
    // Numbers near the last chunk, mostly in order, so that the stream accepts most of them.
    arbitrary: fc.record({
      type: fc.constant("upsert around" as const),
      places: fc.subarray([-3, -2, -1, 0, 1, 2, 3], { maxLength: 4 }),
      order: fc.constantFrom("up", "up", "up", "down", "first twice"),
      words: text,
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ type: fc.constant("snapshot" as const) }), weight: 1 },
  {
    arbitrary: fc.record({
      type: fc.constant("read" as const),
      from: fc.oneof(place, fc.constant("-1"), fc.constant("now")),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ type: fc.constant("close" as const) }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("restart" as const) }), weight: 1 },
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

const placeIn = (offset: string): number => Number(offset.slice(offset.lastIndexOf(":") + 1));

/** Reads until no further chunk comes. If a run has no chunks, the stream itself ends or refuses the reader. */
async function readAll(stream: UpsertableStreamDurability, offset: string): Promise<unknown> {
  const read: unknown[] = [];
  const leaving = new AbortController();
  const there = await stream.snapshot();
  const end = there.at(-1)?.offset;
  let waiting: NodeJS.Timeout | undefined;
  const leaveSoon = (): void => {
    clearTimeout(waiting);
    waiting = setTimeout(() => leaving.abort(), 5);
  };
  if (end !== undefined && (offset === "now" || placeIn(offset) >= placeIn(end))) leaveSoon();
  else waiting = setTimeout(() => leaving.abort(), 10_000);
  for await (const entry of stream.read(offset, leaving.signal)) {
    read.push(entry);
    if (entry.offset === end) leaveSoon();
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
    case "upsert around": {
      const { length } = await stream.snapshot();
      const places = [...one.places, ...(one.order === "first twice" ? one.places.slice(0, 1) : [])];
      if (one.order === "down") places.reverse();
      const entries = places.map((at) => ({
        offset: offsetOf(side, length + at),
        chunk: chunk(`${one.words}${at}`),
      }));
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

/** The answer without the prefix of the side; all refusals are equal. */
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
  const met = { refused: 0, upserted: 0, read: 0 };
  await fc.assert(
    // A short sequence has hardly any chunk that could be replaced or read.
    fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 30 }), async (commands) => {
      const runId = `run-${++runs}`;
      const theirs = (): UpsertableStreamDurability => memoryStream({ runId }, { firstChunkDeadlineMs: 5 });
      const ours = (): UpsertableStreamDurability =>
        continuoStream(store, { runId }, { firstChunkDeadlineMs: 5 });
      const sides: Side[] = [
        { prefix: "memory:v1:", runId, stream: theirs(), open: theirs },
        { prefix: "continuo:v1:", runId, stream: ours(), open: ours },
      ];
      for (const one of commands) {
        const [expected, answer] = await Promise.all(sides.map((side) => plain(side, one)));
        expect({ one, answer }).toEqual({ one, answer: expected });
        if (answer === "refused") met.refused++;
        else if (answer !== "[]" && one.type.startsWith("upsert")) met.upserted++;
        else if (answer !== "[]" && one.type === "read") met.read++;
      }
    }),
    { numRuns: RUNS },
  );
  for (const count of Object.values(met)) expect([met, count > RUNS / 2]).toEqual([met, true]);
}, 600_000);

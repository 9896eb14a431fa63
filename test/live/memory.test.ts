/** What an owner keeps of a session in memory while no note writer works: a bounded part of what is pending. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { addEvent, depthOf, emptyFold } from "../../src/live/fold.ts";
import { LIMITS } from "../../src/live/limits.ts";
import type { StoredEvent } from "../../src/model/index.ts";
import { liveTest, said } from "./live-session.ts";

const MEMORY_BYTES = 4_194_304;

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

function eventOf(sequence: number, type: string, data: object): StoredEvent {
  return {
    id: `event-${sequence}`,
    logId: "s",
    sequence,
    type,
    data,
    actor: { kind: "system" },
    occurredAt: "2026-01-01T00:00:00.000Z",
    recordedAt: "2026-01-01T00:00:00.000Z",
    retention: "critical",
    payloadHash: "a".repeat(64),
    chainHash: "b".repeat(64),
  } as unknown as StoredEvent;
}

test("a fold with 300,000 pieces that wait and 3,000 notes takes less than 4 MB", () => {
  const before = heapBytes();
  const fold = emptyFold("");
  let sequence = 0;
  for (let n = 0; n < 3_000; n++) {
    const noteId = `01890000-0000-7000-8000-${String(n).padStart(12, "0")}`;
    const hash = `${String(n).padStart(64, "0")}`;
    addEvent(fold, eventOf(++sequence, "note_written", { noteId, mediaTimeMs: n, endMs: n + 5, hash }));
  }
  for (let n = 0; n < 300_000; n++) addEvent(fold, eventOf(++sequence, "transcript_added", { text: "x" }));
  expect(heapBytes() - before).toBeLessThan(MEMORY_BYTES);
  expect([depthOf(fold), fold.pending.size]).toEqual([300_000, LIMITS.pendingInMemory]);
  expect(fold.notes.size).toBe(3_000);
});

test("what a writer remembers is bounded: a larger memory does not take the place of the one before", async () => {
  await using live = await liveTest();
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const { write } = live.writer;
  let chars = 10;
  live.writer.write = async (request, options) => ({
    ...(await write(request, options)),
    memory: "m".repeat(chars),
  });
  await live.send("k", said("one"));
  await live.clock.advance(13_000);
  chars = LIMITS.rememberedChars + 1;
  await live.send("k", said("two", 60_000));
  await live.clock.advance(13_000);
  expect((await live.service.follow(sessionId)).fold.memory).toBe("m".repeat(10));
  expect(await live.service.notes("k")).toHaveLength(2);
});

/** The memory of an owner at its limits: 300,000 pending pieces, the maximum of notes, and more ended sessions than are kept. */

import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { LIMITS } from "../../packages/live/src/kit/limits.ts";
import { SessionOwner } from "../../packages/live/src/owner/index.ts";
import { addEvent, depthOf, emptyFold } from "../../packages/live/src/state/fold.ts";
import { Follower } from "../../packages/live/src/state/index.ts";
import { liveTest, said } from "./live-session.ts";
import { eventOf, idOf, written } from "./note-events.ts";

const MEMORY_BYTES = 4_194_304;

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test("a fold with 300,000 pending pieces, the maximum of notes and the largest memory takes less than 4 MB", () => {
  const before = heapBytes();
  const fold = emptyFold("");
  let sequence = 0;
  for (let n = 0; n < LIMITS.noteEntries; n++) addEvent(fold, written(++sequence, n));
  for (let n = 0; n < 300_000; n++) addEvent(fold, eventOf(++sequence, "transcript_added", { text: "x" }));
  // These characters take two bytes each.
  const memory = "ж".repeat(LIMITS.rememberedChars);
  addEvent(fold, eventOf(++sequence, "decision_made", { memory }));
  expect(heapBytes() - before).toBeLessThan(MEMORY_BYTES);
  expect([depthOf(fold), fold.pending.size]).toEqual([300_000, LIMITS.pendingInMemory]);
  expect(fold.notes.size).toBe(LIMITS.noteEntries);
});

test("a session with the maximum of notes reports it, accepts evidence, and still changes its notes", async () => {
  await using live = await liveTest();
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const notes = Array.from({ length: LIMITS.notes }, (_, n) => ({
    type: "note_written",
    actor: { kind: "agent" } as const,
    data: {
      noteId: idOf(n),
      content: `note ${n}`,
      mediaTimeMs: n * 1_000,
      endMs: n * 1_000,
      confidence: 0.9,
    },
  }));
  for (let n = 0; n < notes.length; n += 1_000) await live.store.append(sessionId, notes.slice(n, n + 1_000));
  await live.settle();
  const places = [LIMITS.notes * 1_000 + 60_000, 7_000];
  for (const [n, at] of places.entries()) {
    await live.send("k", said(n === 0 ? "something else" : "note 7", at));
    await live.clock.advance(13_000);
    // This many notes are written in several turns.
    await expect.poll(async () => (await live.service.session("k")).depth).toBe(0);
  }
  const session = await live.service.session("k");
  expect(session).toMatchObject({ depth: 0, health: { lastError: expect.stringContaining("4000 notes") } });
  expect(session.noteIds).toHaveLength(LIMITS.notes);
  const events = (await live.store.read(sessionId, { after: LIMITS.notes, limit: 1_000 })).events;
  const decided = events.flatMap(({ type, data }) =>
    type === "decision_made" ? (data as { readonly decisions: readonly object[] }).decisions : [],
  );
  expect(decided).toMatchObject([
    { action: "keep", reason: expect.stringContaining("no room") },
    { action: "update", noteId: idOf(7) },
  ]);
  const part = { text: "half", startMs: 0, endMs: 0 };
  await expect(
    live.service.operate("k", idOf(1), { operation: "split", parts: [part, part] }),
  ).rejects.toMatchObject({ code: "too_large" });
});

test("a server with many ended sessions keeps only the folds of the newest, and no owners", {
  timeout: 120_000,
}, async () => {
  await using live = await liveTest();
  const held = (): readonly number[] =>
    [Follower, SessionOwner].map((kind) => queryObjects(kind, { format: "count" }));
  const before = held();
  const view = async (n: number): Promise<void> => {
    const key = `tab/${n}`;
    await live.service.open(key, { videoId: `video ${n}`, continues: "video" });
    await live.send(key, said(`The harbour opens at dawn ${n}`, 1_000));
    await live.service.close(key);
  };
  for (let n = 0; n < LIMITS.endedFollowers + 30; n++) await view(n);
  await live.settle();
  const after = held().map((count, n) => count - (before[n] ?? 0));
  // The session that ended last was still active when it was opened.
  expect(after[0]).toBeLessThanOrEqual(LIMITS.endedFollowers + 1);
  // Memory of earlier test files of the worker may be released in the meantime.
  expect(after[0]).toBeGreaterThan(LIMITS.endedFollowers / 2);
  // The owner of the last session may still be held by the promise of its end.
  expect(after[1]).toBeLessThanOrEqual(1);
  expect((await live.service.notes("tab/0")).map(({ text }) => text)).toEqual([
    "The harbour opens at dawn 0",
  ]);
});

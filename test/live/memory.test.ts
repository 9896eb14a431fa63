/**
 * The memory of an owner for a session: a bounded part of the pending evidence, and a bounded number of notes.
 */

import { getEventListeners } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { LIMITS } from "../../packages/live/src/kit/limits.ts";
import { addEvent, emptyFold } from "../../packages/live/src/state/fold.ts";
import { liveTest, said } from "./live-session.ts";
import { eventOf, idOf, written } from "./note-events.ts";

test("archived notes are dropped to make room for others, the oldest first", () => {
  const fold = emptyFold("");
  let sequence = 0;
  for (let n = 0; n < LIMITS.noteEntries + 10; n++) {
    addEvent(fold, written(++sequence, n));
    if (n < 20) addEvent(fold, eventOf(++sequence, "note_archived", { noteId: idOf(n) }));
  }
  expect(fold.notes.size).toBe(LIMITS.noteEntries);
  expect([9, 10, 20].map((n) => fold.notes.get(idOf(n))?.status)).toEqual([undefined, "archived", "written"]);
});

test("a writer's memory is bounded: one that is too large does not replace the previous one", async () => {
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

test("a session that runs for a long time does not leave a listener for each batch", async () => {
  const signals = new Set<EventTarget>();
  const add = EventTarget.prototype.addEventListener;
  const spy = vi.spyOn(EventTarget.prototype, "addEventListener").mockImplementation(function (
    this: EventTarget,
    ...given: Parameters<typeof add>
  ) {
    if (this instanceof AbortSignal) signals.add(this);
    add.apply(this, given);
  });
  onTestFinished(() => spy.mockRestore());
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  const most = (): number =>
    Math.max(...[...signals].map((signal) => getEventListeners(signal, "abort").length));
  for (let n = 0; n < 20; n++) {
    await live.send("k", said(`words ${n}`, n * 1_000));
    await live.clock.advance(7_000);
  }
  expect(live.writer.requests).toHaveLength(20);
  expect(most()).toBeLessThan(10);
});

/**
 * The page folds windows of a continuous session to the same notes as the server, at the end and at any earlier place.
 */

import { LIVE_FEED_TYPES, toWireEvent, type WireEvent } from "@continuo/core/wire";
import { readHistory } from "@continuo/live";
import { expect, test } from "vitest";
import {
  EMPTY_PART,
  foldNotes,
  foldWindow,
  type LivePart,
  MOST_LOADED,
  notesAfter,
  withNewer,
} from "../../web/live/fold.ts";
import { hasPlace, itemsAt, shownNotes, stepFrom } from "../../web/live/position.ts";
import { type LiveTest, liveTest, said } from "../live/live-session.ts";

/** Returns the events that the feed of a session sends. */
async function feedOf({ store, service }: LiveTest, key: string): Promise<readonly WireEvent[]> {
  const { events } = await store.read(await service.sessionIdOf(key), { limit: 10_000 });
  return events.filter(({ type }) => LIVE_FEED_TYPES.includes(type)).map(toWireEvent);
}

/** The whole feed as one loaded part. */
function partOf(feed: readonly WireEvent[]): LivePart {
  return withNewer(EMPTY_PART, feed, { to: feed.at(-1)?.sequence ?? 0, hasNewer: false });
}

const shownIn = (part: LivePart, at: number | null) =>
  shownNotes(notesAfter(part, at)).map(({ noteId, text, startMs, endMs, status, by, evidence }) => {
    return { noteId, text, startMs, endMs, status, by, evidence };
  });

const serversNotes = async ({ service }: LiveTest) =>
  (await service.notes("k")).map(({ noteId, text, startMs, endMs, status, by, evidence }) => {
    return { noteId, text, startMs, endMs, status, by, evidence };
  });

async function note(live: LiveTest, text: string, atMs: number): Promise<string> {
  const before = new Set((await live.service.notes("k")).map(({ noteId }) => noteId));
  await live.send("k", said(text, atMs, { endMs: atMs + 1_000 }));
  await live.clock.advance(13_000);
  return (await live.service.notes("k")).find(({ noteId }) => !before.has(noteId))?.noteId ?? "";
}

test("after each event the page shows the same notes as the server", async () => {
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  const then: { readonly at: number; readonly notes: unknown }[] = [];
  const remember = async (): Promise<void> => {
    await live.settle();
    const at = await live.store.latestSequence(await live.service.sessionIdOf("k"));
    then.push({ at, notes: await serversNotes(live) });
  };
  const harbour = await note(live, "The harbour opens at dawn", 10_000);
  await remember();
  const ships = await note(live, "Seven ships wait outside", 60_000);
  const crane = await note(live, "The crane is broken", 120_000);
  await remember();
  const steps = [
    [harbour, { operation: "edit", text: "The harbour opens at six" }],
    [ships, { operation: "accept" }],
    [ships, { operation: "undo" }],
    [ships, { operation: "merge", noteIds: [crane], text: "Ships wait for the crane" }],
    [harbour, { operation: "edit", text: "It opens at seven" }],
    [harbour, { operation: "undo" }],
  ] as const;
  for (const [noteId, operation] of steps) {
    await live.service.operate("k", noteId, operation);
    await remember();
  }
  const merged = (await live.service.notes("k")).find(({ text }) => text.startsWith("Ships"))?.noteId ?? "";
  const parts = [
    { text: "Ships wait", startMs: 60_000, endMs: 61_000 },
    { text: "for the crane", startMs: 120_000, endMs: 121_000 },
  ];
  await live.service.operate("k", merged, { operation: "split", parts });
  await remember();

  const feed = await feedOf(live, "k");
  const whole = partOf(feed);
  expect(then.map(({ at }) => shownIn(whole, at))).toEqual(then.map(({ notes }) => notes));
  expect(shownIn(whole, null)).toEqual(await serversNotes(live));
  expect(shownIn(whole, 0)).toEqual([]);
  // Folding event by event gives the same result as folding all at once.
  const single = feed.reduce(
    (part, event) => withNewer(part, [event], { to: event.sequence, hasNewer: false }),
    EMPTY_PART,
  );
  expect(single).toEqual(whole);
  expect(shownNotes(foldNotes(new Map(), feed))).toEqual(shownNotes(notesAfter(whole, null)));

  // With windows from the end, and from the beginning, each loaded place shows the same notes.
  const sessionId = await live.service.sessionIdOf("k");
  const places = feed.map(({ sequence }) => sequence);
  const expectSame = (part: LivePart): void => {
    const here = places.filter((at) => hasPlace(part, at));
    expect(here.map((at) => shownIn(part, at))).toEqual(here.map((at) => shownIn(whole, at)));
    const lines = whole.items.filter(({ sequence }) => sequence > part.from && sequence <= part.to);
    expect(part.items).toEqual(lines);
  };
  for (const limit of [1, 4, 7]) {
    const read = (query: object) => readHistory(live.store, sessionId, { limit, ...query });
    let part = foldWindow(EMPTY_PART, await read({ notes: "all" }), "instead");
    for (let n = 0; part.hasOlder && n < feed.length; n++) {
      expectSame(part);
      part = foldWindow(part, await read({ before: part.from + 1, notes: "changed" }), "older");
    }
    expectSame(part);
    expect([part.from, part.to]).toEqual([0, await live.store.latestSequence(sessionId)]);
    part = foldWindow(EMPTY_PART, await read({ after: 0 }), "instead");
    for (let n = 0; part.hasNewer && n < feed.length; n++) {
      expectSame(part);
      part = foldWindow(part, await read({ after: part.to }), "newer");
    }
    expectSame(part);
    expect(part.items).toEqual(whole.items);
    // A window that is not adjacent to the loaded part changes nothing.
    expect(foldWindow(part, await read({ before: 3 }), "newer")).toBe(part);
  }

  // The replay goes step by step through the whole log and back.
  let at: number | null = 0;
  let count = 0;
  while (at !== null && count <= whole.items.length) {
    expect(itemsAt(whole, at)).toHaveLength(count);
    at = stepFrom(whole, at, 1) as number | null;
    count++;
  }
  expect(count).toBe(whole.items.length);
  expect(stepFrom(whole, null, -1)).toBe(whole.items.at(-2)?.sequence);
});

test("the loaded part is bounded in both directions, and reports what is missing", () => {
  const noteAt = (sequence: number): WireEvent =>
    ({
      id: `e${sequence}`,
      sequence,
      occurredAt: "2026-01-01T00:00:00Z",
      actor: { kind: "agent" },
      type: sequence % 100 === 1 ? "note_written" : "transcript_added",
      data: { noteId: `n${sequence}`, content: `note ${sequence}`, text: "said", mediaTimeMs: sequence },
    }) as unknown as WireEvent;
  const events = (from: number, to: number): readonly WireEvent[] =>
    Array.from({ length: to - from }, (_, n) => noteAt(from + n + 1));
  const window = (from: number, to: number) => ({
    events: events(from, to),
    from,
    sequence: to,
    notes: [],
    hasOlder: from > 0,
    hasNewer: to < 3_000,
  });
  let part = foldWindow(EMPTY_PART, window(0, 200), "instead");
  for (let to = 400; to <= 3_000; to += 200) part = foldWindow(part, window(to - 200, to), "newer");
  expect([part.items.length, part.from, part.to]).toEqual([MOST_LOADED, 2_000, 3_000]);
  expect([part.hasOlder, part.hasNewer, part.changes.length]).toEqual([true, false, 10]);
  // The notes of dropped events are still there.
  expect(shownIn(part, null)).toHaveLength(30);
  expect(shownIn(part, 2_000)).toHaveLength(20);
  for (let from = 1_800; from >= 0; from -= 200) part = foldWindow(part, window(from, from + 200), "older");
  expect([part.items.length, part.from, part.to]).toEqual([MOST_LOADED, 0, 1_000]);
  expect([part.hasOlder, part.hasNewer]).toEqual([false, true]);
  expect(shownIn(part, 0)).toEqual([]);
  expect(shownIn(part, 1_000)).toHaveLength(10);
  expect([stepFrom(part, 1_000, 1), stepFrom(part, null, -1)]).toEqual(["newer", "newer"]);
});

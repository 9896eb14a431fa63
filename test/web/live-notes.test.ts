/** The page folds the events of a continuous session to the same notes as the server, at its end and at any place before. */

import { expect, test } from "vitest";
import { LIVE_FEED_TYPES, toWireEvent, type WireEvent } from "../../src/wire/index.ts";
import { itemsAt, notesAt, placeOfCount, stepFrom } from "../../web/live/at.ts";
import { EMPTY_LOG, foldLog, type LiveLog } from "../../web/live/fold.ts";
import { type LiveTest, liveTest, said } from "../live/live-session.ts";

/** What the feed sends of a session. */
async function feedOf({ store, service }: LiveTest, key: string): Promise<readonly WireEvent[]> {
  const { events } = await store.read(await service.sessionIdOf(key), { limit: 10_000 });
  return events.filter(({ type }) => LIVE_FEED_TYPES.includes(type)).map(toWireEvent);
}

const shownIn = (log: LiveLog, at: number | null) =>
  notesAt(log, at).map(({ history, version }) => {
    const { text, startMs, endMs, status, by, evidence } = version;
    return { noteId: history.noteId, text, startMs, endMs, status, by, evidence };
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

test("after each step the page shows the notes that the server had then", async () => {
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

  const log = foldLog(EMPTY_LOG, await feedOf(live, "k"));
  expect(then.map(({ at }) => shownIn(log, at))).toEqual(then.map(({ notes }) => notes));
  expect(shownIn(log, null)).toEqual(await serversNotes(live));
  expect(shownIn(log, 0)).toEqual([]);
  // The way of the notes: two became one, and that became two.
  expect(log.notes.get(merged)?.from).toEqual([ships, crane]);
  expect(log.notes.get(ships)?.into).toEqual([merged]);
  expect(log.notes.get(merged)?.into).toHaveLength(2);
  expect(log.notes.get(harbour)?.versions.map(({ verb, text }) => `${verb}: ${text}`)).toEqual([
    "written: The harbour opens at dawn",
    "updated: The harbour opens at six",
    "updated: It opens at seven",
    "undone: The harbour opens at six",
  ]);
  // Event by event it is the same as all at once.
  const single = (await feedOf(live, "k")).reduce(
    (folded, event) => foldLog(folded, [event, event]),
    EMPTY_LOG,
  );
  expect(single).toEqual(log);
  // Step by step through the whole log and back.
  let at: number | null = 0;
  let count = 0;
  while (at !== null) {
    expect([itemsAt(log, at).length, placeOfCount(log, count)]).toEqual([count, at]);
    at = stepFrom(log, at, 1);
    count++;
  }
  expect(count).toBe(log.items.length);
  expect(stepFrom(log, null, -1)).toBe(log.items.at(-2)?.sequence);
});

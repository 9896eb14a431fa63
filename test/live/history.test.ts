/**
 * Windows of a continuous session: together they are the whole feed, and their notes equal a fold of all earlier
 * events.
 */

import type { NewEvent, Store } from "@continuo/core/model";
import {
  LIVE_FEED_TYPES,
  type LiveHistory,
  type NoteEvent,
  recordOf,
  toWireEvent,
} from "@continuo/core/wire";
import { type HistoryQuery, LIMITS, readHistory, readNoteHistory } from "@continuo/live";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shareOf } from "../../packages/live/src/notes/note-history.ts";
import { restore } from "../../packages/live/src/state/restore.ts";
import { SNAPSHOT_NAME, seal } from "../../packages/live/src/state/snapshot.ts";
import { openServer } from "../server/harness/open-server.ts";
import { liveTest, said } from "./live-session.ts";

type NoteStep = readonly [kind: string, note: number, by: "person" | "agent"];

function eventOf([kind, note, by]: NoteStep, n: number): NewEvent {
  const data = { noteId: `n${note}`, content: `${kind} ${n}`, mediaTimeMs: note * 1_000, status: "written" };
  const actor = { kind: by } as const;
  switch (kind) {
    case "said":
      return { type: "transcript_added", data: { text: `said ${n}`, mediaTimeMs: n } };
    case "hidden":
      return { type: "telemetry_reported", data: { name: "volume", value: n } };
    case "note_archived":
      return { type: kind, actor, data: { noteId: data.noteId } };
    default:
      return { type: kind, actor, data: { ...data, hash: `h${n}`, evidence: [`e${n}`] } };
  }
}

/** Appends one event, or stores a checkpoint's snapshot. */
async function take(store: Store, sessionId: string, step: NoteStep, n: number): Promise<void> {
  if (step[0] !== "checkpoint") return void (await store.append(sessionId, [eventOf(step, n)]));
  const { fold } = await restore(store, sessionId, { snapshots: "none" });
  await store.putSnapshot({
    logId: sessionId,
    name: SNAPSHOT_NAME,
    data: await seal(fold),
    sequence: fold.sequence,
  });
}

const step: fc.Arbitrary<NoteStep> = fc.tuple(
  fc.constantFrom("said", "said", "hidden", "note_written", "note_updated", "note_archived", "checkpoint"),
  fc.integer({ min: 1, max: 4 }),
  fc.constantFrom("agent", "agent", "person"),
);

const textsOf = (notes: readonly NoteEvent[]): readonly unknown[] =>
  notes
    .filter(({ status }) => status !== "archived")
    .map(({ event }) => (event.data as { content: unknown }).content)
    .toSorted();

/** Returns the fold of the whole log up to there. */
async function foldedAt(store: Store, sessionId: string, sequence: number): Promise<readonly unknown[]> {
  const copy = await store.forkLog(sessionId, sequence);
  const { fold } = await restore(store, copy.logId, { snapshots: "none" });
  const { events } = await store.read(sessionId);
  return [...fold.notes.values()]
    .filter(({ status }) => status !== "archived")
    .map((note) => recordOf(events[note.sequence - 1]?.data).content)
    .toSorted();
}

test("all windows together are the whole feed, and the notes before each window equal a fold of all earlier events", async () => {
  await using live = await liveTest();
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      async (steps, limit) => {
        const { sessionId } = await live.service.open(`k${sessions++}`, { videoId: "v" });
        for (const [n, one] of steps.entries()) await take(live.store, sessionId, one, n);
        const { events } = await live.store.read(sessionId);
        const feed = events.filter(({ type }) => LIVE_FEED_TYPES.includes(type)).map(toWireEvent);
        const read = (query: HistoryQuery) => readHistory(live.store, sessionId, { limit, ...query });

        const older: LiveHistory[] = [await read({ notes: "all" })];
        while (older[0]?.hasOlder === true && older.length <= events.length) {
          const window = await read({ before: older[0].from + 1, notes: "all" });
          expect(window.sequence).toBe(older[0].from);
          older.unshift(window);
        }
        expect(older.flatMap((window) => window.events)).toEqual(feed);
        expect(older.every((window) => window.events.length <= limit)).toBe(true);
        const newer: LiveHistory[] = [await read({ after: 0 })];
        while (newer.at(-1)?.hasNewer === true && newer.length <= events.length)
          newer.push(await read({ after: newer.at(-1)?.sequence ?? 0 }));
        expect(newer.flatMap((window) => window.events)).toEqual(feed);

        for (const { from, sequence, notes, events: inside } of older) {
          expect(textsOf(notes)).toEqual(await foldedAt(live.store, sessionId, from));
          // It has only the notes that the window changes; the others are the same after it.
          const ids = inside.map(({ data }) => (data as { noteId?: unknown }).noteId);
          const few = await read({ before: sequence + 1, notes: "changed" });
          expect(few.notes).toEqual(
            notes.filter(({ event }) => ids.includes((event.data as { noteId: unknown }).noteId)),
          );
        }
      },
    ),
    { numRuns: 25 },
  );
});

test("a window around a sequence or the id of an event has that place in its middle", async () => {
  await using live = await liveTest();
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  for (let n = 0; n < 30; n++) await take(live.store, sessionId, ["said", 1, "agent"], n);
  const { events } = await live.store.read(sessionId, { types: ["transcript_added"] });
  const place = events[14];
  const byId = await readHistory(live.store, sessionId, { around: place?.id ?? "", limit: 6 });
  const bySequence = await readHistory(live.store, sessionId, { around: place?.sequence ?? 0, limit: 6 });
  expect(byId).toEqual(bySequence);
  expect(byId.events.map(({ id }) => id)).toEqual(events.slice(12, 18).map(({ id }) => id));
  expect([byId.hasOlder, byId.hasNewer]).toEqual([true, true]);
  const start = await readHistory(live.store, sessionId, { around: 0, limit: 4 });
  expect([start.from, start.hasOlder, start.events.length]).toEqual([0, false, 4]);
  await expect(readHistory(live.store, sessionId, { around: "nothing" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("at any place a note has its versions and its sources, even if a checkpoint is damaged", async () => {
  await using live = await liveTest();
  const { store, service } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const note = async (text: string, atMs: number): Promise<string> => {
    const before = new Set((await service.notes("k")).map(({ noteId }) => noteId));
    await live.send("k", said(text, atMs));
    await live.clock.advance(13_000);
    return (await service.notes("k")).find(({ noteId }) => !before.has(noteId))?.noteId ?? "";
  };
  const harbour = await note("The harbour opens at dawn", 10_000);
  const ships = await note("Seven ships wait outside", 60_000);
  await service.operate("k", harbour, { operation: "edit", text: "It opens at six" });
  await service.operate("k", harbour, { operation: "merge", noteIds: [ships], text: "Ships wait until six" });
  const [merged] = await service.notes("k");
  await service.operate("k", merged?.noteId ?? "", { operation: "edit", text: "Ships wait" });
  await live.settle();

  const told = async (noteId: string, at?: number) => {
    const place = { sessionId, noteId, ...(at === undefined ? {} : { at }) };
    const { versions, origins, hasOlder } = await readNoteHistory(store, place);
    expect(hasOlder).toBe(false);
    return [textsIn(versions), textsIn(origins)];
  };
  const textsIn = (notes: readonly NoteEvent[]) =>
    notes.map(({ event }) => (event.data as { content: string }).content);
  const whole = [
    ["Ships wait until six", "Ships wait"],
    ["It opens at six", "Seven ships wait outside"],
  ];
  expect(await told(merged?.noteId ?? "")).toEqual(whole);
  expect(await told(harbour)).toEqual([["The harbour opens at dawn", "It opens at six"], []]);
  const { events } = await store.read(sessionId, { types: ["note_merged"] });
  const at = events[0]?.sequence ?? 0;
  expect(await told(merged?.noteId ?? "", at)).toEqual([["Ships wait until six"], whole[1]]);
  await expect(told(merged?.noteId ?? "", at - 1)).rejects.toMatchObject({ code: "not_found" });

  const { fold } = await restore(store, sessionId, { snapshots: "none" });
  fold.notes.clear();
  const data = { ...(await seal(fold)), hash: "0".repeat(64) };
  await store.putSnapshot({ logId: sessionId, name: SNAPSHOT_NAME, data, sequence: at });
  expect(await told(merged?.noteId ?? "")).toEqual(whole);
});

test("if the notes before a window are too long together, they are cut, and each cut is marked", async () => {
  expect(shareOf([1, 5, 100, 200], 106)).toBe(50);
  expect(shareOf([1, 5, 40, 60], 106)).toBe(Number.MAX_SAFE_INTEGER);
  await using live = await liveTest();
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const ids = Array.from({ length: 40 }, (_, n) => `e${n}`);
  const notes = Array.from({ length: 150 }, (_, n): NewEvent => {
    const content = n === 0 ? "short" : "\u{1f6a2}".repeat(6_000);
    return { type: "note_written", data: { noteId: `n${n}`, content, evidence: ids, lineage: [] } };
  });
  await live.store.append(sessionId, [...notes, eventOf(["said", 1, "agent"], 0)]);
  const window = await readHistory(live.store, sessionId, { limit: 1, notes: "all" });
  expect(window.notes).toHaveLength(150);
  const lengths = window.notes.map(({ event }) => (event.data as { content: string }).content.length);
  expect(lengths[0]).toBe(5);
  expect(lengths.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(LIMITS.notesChars);
  expect(Math.min(...lengths.slice(1))).toBeGreaterThan(6_000);
  expect(window.notes[1]?.cut).toEqual({ content: 12_000, evidence: 40, lineage: 0 });
  expect(recordOf(window.notes[0]?.event.data).evidence).toEqual(ids.slice(0, 12));
  expect(JSON.stringify(window.notes).isWellFormed()).toBe(true);
});

test("the routes need a token for the session, and refuse a place that is not in its log", async () => {
  await using store = await openStore("memory:");
  await using live = await liveTest({ store });
  await live.service.open("tab/1", { videoId: "v" });
  await live.send("tab/1", said("one"));
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  const tokenFor = async (key: string): Promise<string> =>
    (await store.createToken({ scopes: [`live:${key}:read`], label: "t" })).secret;
  const [mine, other] = [await tokenFor("tab/1"), await tokenFor("tab/2")];
  const get = (path: string, token = mine) =>
    fetch(`${server.url}/v1/live/tab%2F1/${path}`, { headers: { authorization: `Bearer ${token}` } });
  const codeOf = async (path: string, token?: string): Promise<unknown> => {
    const { error } = (await (await get(path, token)).json()) as { error?: { code: string } };
    return error?.code;
  };
  const window = (await (await get("history?limit=5&notes=all")).json()) as LiveHistory;
  expect(window.events.map(({ type }) => type)).toContain("transcript_added");
  const latest = window.latestSequence;
  expect(await codeOf(`history?before=${latest + 1}`)).toBeUndefined();
  expect(await codeOf(`history?around=${encodeURIComponent(window.events[0]?.id ?? "")}`)).toBeUndefined();
  for (const query of [
    ...["before=0", "before=-1", "before=x", "after=1.5", "after=", "limit=0", "limit=501", "notes=some"],
    ...["around=sequence:x", "before=1&after=1", "after=1&after=2", "cursor=1"],
  ]) {
    expect([query, await codeOf(`history?${query}`)]).toEqual([query, "invalid"]);
  }
  for (const query of [`before=${latest + 2}`, `after=${latest + 1}`, `around=sequence:${latest + 1}`]) {
    expect([query, await codeOf(`history?${query}`)]).toEqual([query, "out_of_range"]);
  }
  expect(await codeOf("history?around=unknown")).toBe("not_found");
  expect(await codeOf("notes/unknown/history")).toBe("not_found");
  expect(await codeOf("notes/unknown/history?at=x")).toBe("invalid");
  expect(await codeOf(`notes/unknown/history?at=${latest + 1}`)).toBe("out_of_range");
  for (const path of ["history", "notes/n/history"]) expect(await codeOf(path, other)).toBe("forbidden");
  await server.close();
});

/** The view of a session that a panel receives, however long a person watches. */

import type { LivePage, LiveServerFrame, LiveSession, Note } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { framesOf, markersOf, type PanelSession, toPanelPage, toPanelSession } from "./panel-view.ts";
import { foldFrame, newView, type ShownEvidence } from "./view.ts";

/** The session after this number of minutes, each with a note of ten seconds and two pieces of evidence. */
function shownAfter(minutes: number, room: number = LIMITS.notesAtOnce): PanelSession {
  const ids = Array.from({ length: minutes }, (_, n) => String(n).padStart(6, "0"));
  const notes = ids.map((noteId, n) => ({
    noteId,
    text: "x".repeat(200),
    startMs: n * 60_000,
    endMs: n * 60_000 + 10_000,
    evidence: [`${noteId}a`, `${noteId}b`],
  })) as unknown as readonly Note[];
  const evidence = notes.flatMap((note) => note.evidence.map((id) => ({ id }) as ShownEvidence));
  const session = { state: "active", noteIds: ids } as unknown as LiveSession;
  const view = { ...newView({ key: "k", title: "T", videoId: "v" }), notes, evidence, session };
  return toPanelSession(view, { notes: room, durationMs: null });
}

test("markers of the timeline keep a minimum distance", () => {
  const notes = [9_000, 0, 1_999, 2_000, 3_000].map((startMs) => ({ startMs, text: "" }) as Note);
  expect(markersOf(notes, 2_000).map(({ startMs }) => startMs)).toEqual([0, 2_000, 9_000]);
});

test("a panel receives the newest notes with their evidence, and earlier ones on request", () => {
  const shown = shownAfter(180);
  expect(shown.notes.map(({ noteId }) => noteId)).toEqual(
    Array.from({ length: LIMITS.notesAtOnce }, (_, n) => String(130 + n).padStart(6, "0")),
  );
  expect(shown.evidence.map(({ id }) => id)).toEqual(shown.notes.flatMap(({ evidence }) => evidence));
  expect(shown.earlier).toBe(130);
  const more = shownAfter(180, 100);
  expect([more.notes.length, more.earlier, more.evidence.length]).toEqual([100, 80, 200]);
  expect(shownAfter(10)).toMatchObject({ earlier: 0 });
});

test("the size of a panel's view does not grow after its list is full", () => {
  const size = (minutes: number): number => JSON.stringify(shownAfter(minutes)).length;
  expect(size(500)).toBeLessThan(size(60) * 1.05);
  expect(shownAfter(500).timeline.markers[0]).toMatchObject({ startMs: 0 });
  expect(shownAfter(500).timeline.markers.at(-1)?.startMs).toBeGreaterThan(400 * 60_000);
});

test("an item of the page cites the first passages that are far enough apart, and an item of an earlier session only its own beginning", () => {
  const evidence = [30_000, 1_000, 2_000, 90_000, 60_000].map(
    (mediaTimeMs) => ({ id: `e${mediaTimeMs}`, mediaTimeMs, text: `at ${mediaTimeMs}` }) as ShownEvidence,
  );
  const page = {
    items: [
      { itemId: "1", startMs: 500, evidence: evidence.map(({ id }) => id) },
      { itemId: "2", startMs: 7_000, evidence: ["of another session"] },
    ],
  } as unknown as LivePage;
  expect(toPanelPage(page, evidence, { session: "v", tab: "v" }).items).toEqual([
    {
      itemId: "1",
      startMs: 500,
      citations: [1_000, 30_000, 60_000].map((startMs) => {
        return { id: `e${startMs}`, startMs, text: `at ${startMs}` };
      }),
    },
    { itemId: "2", startMs: 7_000, citations: [{ startMs: 7_000, text: "" }] },
  ]);
});

test("the items of the tab's own video come first, and the others name their video", () => {
  const items = ["harbour", undefined, "bees", undefined].map((videoId, n) => {
    return { itemId: String(n), startMs: 0, evidence: [], ...(videoId === undefined ? {} : { videoId }) };
  });
  const page = { items } as unknown as LivePage;
  const shown = (tab: string): readonly unknown[] =>
    toPanelPage(page, [], { session: "town", tab }).items.map(({ itemId, elsewhere }) => [itemId, elsewhere]);
  const others = [
    ["0", "harbour"],
    ["2", "bees"],
  ];
  expect(shown("town")).toEqual([["1", undefined], ["3", undefined], ...others]);
  expect(shown("bees")).toEqual([
    ["2", undefined],
    ["0", "harbour"],
    ["1", "town"],
    ["3", "town"],
  ]);
});

test("a note has the frame on which it is based, or the last frame that was shown during its thought", () => {
  const frame = (id: string, mediaTimeMs: number): ShownEvidence =>
    ({ id, mediaTimeMs, sequence: mediaTimeMs, thumbnail: id }) as ShownEvidence;
  const note = (noteId: string, startMs: number, ...evidence: readonly string[]): Note =>
    ({ noteId, startMs, endMs: startMs + 5_000, evidence }) as unknown as Note;
  const frames = [frame("a", 1_000), frame("b", 12_000), frame("c", 16_000), frame("d", 90_000)];
  const said = { id: "s", mediaTimeMs: 14_000, sequence: 5, thumbnail: null } as ShownEvidence;
  const found = framesOf(
    [note("1", 12_000, "s", "a"), note("2", 12_000), note("3", 50_000)],
    [...frames, said],
  );
  expect(found["1"]?.thumbnail).toBe("a");
  expect(found["2"]?.thumbnail).toBe("c");
  expect(found["3"]).toBeUndefined();
});

test("a note of another video names that video and has no marker and no frame of this one, and its words are not in the live line", () => {
  const note = (noteId: string, videoId?: string): Note =>
    ({
      noteId,
      startMs: 10_000,
      endMs: 15_000,
      text: noteId,
      evidence: [],
      ...(videoId === undefined ? {} : { videoId }),
    }) as unknown as Note;
  const heard = (text: string, videoId: string | null): ShownEvidence =>
    ({
      id: text,
      type: "transcript_added",
      mediaTimeMs: 10_000,
      endMs: 11_000,
      lang: "en",
      text,
      thumbnail: null,
      videoId,
    }) as ShownEvidence;
  const frame = {
    id: "f",
    type: "frame_captured",
    mediaTimeMs: 11_000,
    thumbnail: "f",
    videoId: null,
  } as ShownEvidence;
  const shared = {
    notes: [note("bees"), note("ships", "harbour")],
    evidence: [heard("The bees dance.", null), heard("The ships wait.", "harbour"), frame],
    session: { videoId: "hive" } as LiveSession,
  };
  const panel = (videoId: string): PanelSession =>
    toPanelSession(
      { ...newView({ key: "k", title: "T", videoId }), ...shared },
      { notes: 10, durationMs: null },
    );
  expect(panel("hive")).toMatchObject({
    elsewhere: { ships: "harbour" },
    line: [{ text: "The bees dance." }],
  });
  expect(panel("harbour")).toMatchObject({
    elsewhere: { bees: "hive" },
    line: [{ text: "The ships wait." }],
  });
  expect(panel("hive").timeline.markers.map(({ noteId }) => noteId)).toEqual(["bees"]);
  expect(panel("harbour").timeline.markers.map(({ noteId }) => noteId)).toEqual(["ships"]);
  expect(Object.keys(panel("hive").frames)).toEqual(["bees"]);
});

test("a remark is shown from the moment at which it is made until a note is based on it", () => {
  const remark = (id: string, mediaTimeMs: number) => ({ id, mediaTimeMs, text: `remark ${id}` });
  const stored = { ...remark("a", 5_000), type: "remark_added", videoId: null } as ShownEvidence;
  const base = newView({ key: "k", title: "T", videoId: "v" });
  const shown = (part: object): readonly string[] =>
    toPanelSession({ ...base, ...part }, { notes: 2, durationMs: null }).remarks.map(
      ({ id, isWaiting }) => `${id}${isWaiting ? " waits" : ""}`,
    );
  expect(shown({ remarks: [remark("a", 5_000)] })).toEqual(["a waits"]);
  const event = { type: "remark_added", id: "a", sequence: 4, recordedAt: "2026-11-27T00:00:00Z" };
  const data = { text: "remark a", mediaTimeMs: 5_000 };
  const frame = { type: "event", event: { ...event, data } } as unknown as LiveServerFrame;
  const folded = foldFrame({ ...base, remarks: [remark("a", 5_000), remark("b", 6_000)] }, frame);
  expect(shown(folded)).toEqual(["a", "b waits"]);
  const note = (startMs: number, ...evidence: readonly string[]) =>
    ({ noteId: `n${startMs}`, text: "x", startMs, endMs: startMs, evidence }) as unknown as Note;
  expect(shown({ evidence: [stored], notes: [note(5_000, "a")] })).toEqual([]);
  // A remark before the shown notes is sent with the earlier ones.
  expect(shown({ evidence: [stored], notes: [note(0), note(10_000), note(20_000)] })).toEqual([]);
  const elsewhere = { ...stored, videoId: "other" };
  expect(shown({ evidence: [elsewhere] })).toEqual([]);
});

/** Notes that improve: updates, merges, questions to the person, and the protection of a person's notes. */

import type { Store, StoredEvent } from "@continuo/core/model";
import {
  type EvidenceItem,
  extractiveWriter,
  type LiveOptions,
  type NoteRequest,
  type NoteWriter,
} from "@continuo/live";
import { expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

interface Sure {
  /** Returns the writer's confidence for a request. */
  confidenceOf: (request: NoteRequest, item: EvidenceItem) => number;
  readonly requests: NoteRequest[];
}

/** One draft for each transcript, with its words and its span. */
function echoWriter(): NoteWriter & Sure {
  const writer: NoteWriter & Sure = {
    name: "echo",
    confidenceOf: () => 0.9,
    requests: [],
    write: async (request) => {
      writer.requests.push(request);
      const spoken = request.evidence.filter(({ type }) => type !== "frame_captured");
      return {
        drafts: spoken.map((item) => ({
          draftId: `${request.batchId}/${item.sequence}`,
          text: item.text,
          startMs: item.startMs,
          endMs: item.endMs,
          confidence: writer.confidenceOf(request, item),
          evidence: [item.id],
          question: `What is meant by ${item.text}?`,
        })),
      };
    },
  };
  return writer;
}

async function notesTest(
  options: Partial<LiveOptions> & { readonly store?: Store } = {},
): Promise<LiveTest & { readonly echo: NoteWriter & Sure; readonly sessionId: string }> {
  const echo = echoWriter();
  const live = await liveTest({ noteWriters: [echo], ...options });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  return { ...live, echo, sessionId };
}

/** Texts that have no word in common. */
const SUBJECTS = ["Boats leave", "Bread rises", "Gulls sleep", "Trains stop", "Lamps burn", "Ropes dry"];

async function say(live: LiveTest, text: string, startMs: number, endMs: number): Promise<void> {
  await live.send("k", said(text, startMs, { endMs }));
  await live.clock.advance(7_000);
}

async function ofType(
  live: LiveTest & { readonly sessionId: string },
  type: string,
): Promise<readonly StoredEvent[]> {
  return (await allEvents(live.store, live.sessionId)).filter((event) => event.type === type);
}

async function texts(live: LiveTest): Promise<readonly string[]> {
  return (await live.service.notes("k")).map(({ text, status }) =>
    status === "written" ? text : `${status}: ${text}`,
  );
}

test("words that are repeated at the same place update their note, and a text that overlaps two notes merges them", async () => {
  await using live = await notesTest();
  await say(live, "The owner lit the lamp", 0, 4_000);
  await say(live, "The owner lit the lamp at dusk", 1_000, 4_000);
  expect(await texts(live)).toEqual(["The owner lit the lamp at dusk"]);
  const [update] = await ofType(live, "note_updated");
  const [written] = await ofType(live, "note_written");
  const before = (written?.data ?? {}) as { readonly hash: string; readonly noteId: string };
  expect(update?.data).toMatchObject({
    noteId: before.noteId,
    previousHash: before.hash,
    mediaTimeMs: 0,
    endMs: 4_000,
  });

  await say(live, "The owner lit the lamp once more", 5_000, 8_000);
  await say(live, "Something else", 5_000, 8_000);
  expect(await texts(live)).toHaveLength(3);
  await say(live, "The owner lit the lamp every dusk", 0, 8_000);
  expect((await texts(live)).toSorted()).toEqual(["Something else", "The owner lit the lamp every dusk"]);
  const [merge] = await ofType(live, "note_merged");
  const archived = await ofType(live, "note_archived");
  const { noteId, sources } = (merge?.data ?? {}) as {
    readonly noteId: string;
    readonly sources: readonly string[];
  };
  expect(sources).toHaveLength(2);
  expect(archived.map(({ data }) => data)).toMatchObject(
    sources.map((source) => ({ noteId: source, mergedInto: noteId })),
  );
  const merged = (await live.service.notes("k")).find((note) => note.noteId === noteId);
  expect(merged).toMatchObject({ lineage: sources, startMs: 0, endMs: 8_000 });
  expect(merged?.evidence).toHaveLength(4);
});

test("the agent never changes a note that a person edited or accepted", async () => {
  await using live = await notesTest();
  await say(live, "The owner lit the lamp", 0, 4_000);
  const [note] = await live.service.notes("k");
  await live.service.operate("k", note?.noteId ?? "", {
    operation: "edit",
    text: "The owner lit the lamp, I think",
  });
  await live.clock.advance(7_000);
  await say(live, "The owner lit the lamp", 0, 4_000);
  expect(await texts(live)).toEqual(["The owner lit the lamp, I think"]);
  await say(live, "Boats came home", 10_000, 14_000);
  const boats = (await live.service.notes("k")).find(({ text }) => text.startsWith("Boats"));
  await live.service.operate("k", boats?.noteId ?? "", { operation: "accept" });
  await live.clock.advance(7_000);
  await say(live, "Boats came home late", 10_000, 14_000);
  expect(await texts(live)).toEqual(["The owner lit the lamp, I think", "accepted: Boats came home"]);
  const kept = (await ofType(live, "decision_made")).flatMap(
    ({ data }) => (data as { decisions: object[] }).decisions,
  );
  expect(kept.filter((one) => "action" in one && one.action === "keep").length).toBeGreaterThanOrEqual(2);
});

test("a note that a person removed does not come back by itself, and undo brings it back as it was", async () => {
  await using live = await liveTest();
  const { service, writer } = live;
  const { write } = writer;
  writer.write = async (request, options) => {
    const evidence = request.evidence.filter(({ type }) => type === "transcript_added");
    return evidence.length === 0 ? { drafts: [] } : write({ ...request, evidence }, options);
  };
  await service.open("k", { videoId: "v" });
  await live.send("k", said("the lamp is lit", 0, { endMs: 4_000 }));
  await live.clock.advance(7_000);
  const [note] = await service.notes("k");
  const noteId = note?.noteId ?? "";
  await service.operate("k", noteId, { operation: "remove" });
  expect(await service.notes("k")).toEqual([]);
  await expect(service.operate("k", noteId, { operation: "edit", text: "x" })).rejects.toMatchObject({
    code: "conflict",
  });
  // The removal is kept after a change of the owner, and when the words are repeated.
  await live.send("k", said("the lamp is lit", 1_000, { endMs: 4_000 }));
  await live.clock.advance(20_000);
  expect(await service.notes("k")).toEqual([]);
  await service.ownerOf(await service.sessionIdOf("k"))?.checkpoint();
  await service.stop();

  await using again = await liveTest({ store: live.store });
  expect(await again.service.notes("k")).toEqual([]);
  await again.service.operate("k", noteId, { operation: "undo" });
  expect(await again.service.notes("k")).toEqual([note]);
  await expect(again.service.operate("k", noteId, { operation: "undo" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await again.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
});

test("late evidence revises a note at most 3 times in an hour, and again after the hour", async () => {
  await using live = await notesTest();
  const letters = ["a", "b", "c", "d", "e", "f"];
  await say(live, "The owner lit the lamp of room a", 0, 4_000);
  for (let n = 1; n <= 5; n++) await say(live, `The owner lit the lamp of room ${letters[n]}`, 0, 4_000);
  expect(await texts(live)).toEqual(["The owner lit the lamp of room d"]);
  for (let n = 0; n < 3; n++) {
    await live.clock.advance(1_200_000);
    await live.service.ping("k");
  }
  await say(live, "The owner lit the lamp of room g", 0, 4_000);
  expect(await texts(live)).toEqual(["The owner lit the lamp of room g"]);
});

test("an unsure draft is written again with evidence of up to 60 s, then the person is asked, and the answer makes the note", async () => {
  await using live = await notesTest();
  await say(live, "Long before", 0, 1_000);
  await say(live, "A minute before", 20_000, 21_000);
  live.echo.confidenceOf = ({ answered }) => (answered.length > 0 ? 0.9 : 0.4);
  live.echo.requests.length = 0;
  await say(live, "He did it", 75_000, 76_000);
  const [first, second, ...more] = live.echo.requests;
  expect(more).toEqual([]);
  expect(first?.unsure).toEqual([]);
  expect(second?.unsure.map(({ draft, evidence }) => [draft.text, evidence.map(({ text }) => text)])).toEqual(
    [["He did it", ["A minute before"]]],
  );
  expect(await texts(live)).toEqual(["Long before", "A minute before"]);
  const [asked] = await ofType(live, "context_requested");
  const { requestId, question, expiresAt } = (asked?.data ?? {}) as Readonly<Record<string, string>>;
  expect(question).toBe("What is meant by He did it?");
  expect(Date.parse(expiresAt ?? "") - Date.parse(asked?.occurredAt ?? "")).toBe(600_000);
  expect(await ofType(live, "draft_written")).toHaveLength(3);

  await live.service.answer("k", requestId ?? "", { text: "The owner did it", mediaTimeMs: 75_000 });
  await live.clock.advance(7_000);
  const answering = live.echo.requests.at(-1);
  expect(answering?.answered).toMatchObject([
    { requestId, draft: { text: "He did it" }, answer: { text: "The owner did it" } },
  ]);
  expect(await texts(live)).toEqual(["Long before", "A minute before", "The owner did it"]);
  await expect(
    live.service.answer("k", requestId ?? "", { text: "Again", mediaTimeMs: 0 }),
  ).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a frame that a person captures answers a question", async () => {
  await using live = await notesTest();
  live.echo.confidenceOf = () => 0.4;
  await say(live, "He did it", 5_000, 6_000);
  const [asked] = await ofType(live, "context_requested");
  const { requestId = "" } = (asked?.data ?? {}) as Readonly<Record<string, string>>;
  await live.send("k", { type: "frame_captured", mediaTimeMs: 5_500, asked: true, requestId });
  await live.clock.advance(7_000);
  const answering = live.echo.requests.at(-1);
  expect(answering?.answered).toMatchObject([
    { requestId, draft: { text: "He did it" }, answer: { type: "frame_captured", startMs: 5_500 } },
  ]);
});

test("if the answer does not help, the draft is written as an unsure note, and nobody is asked again", async () => {
  await using live = await notesTest();
  live.echo.confidenceOf = () => 0.4;
  await say(live, "He did it", 5_000, 6_000);
  const [asked] = await ofType(live, "context_requested");
  const { requestId = "" } = (asked?.data ?? {}) as Readonly<Record<string, string>>;
  await live.service.answer("k", requestId, { text: "No idea", mediaTimeMs: 5_500 });
  await live.clock.advance(7_000);
  expect(await texts(live)).toEqual(["unsure: No idea"]);
  expect(await ofType(live, "context_requested")).toHaveLength(1);
});

test("a question without an answer becomes an unsure note after 10 minutes, also at the next owner", async () => {
  await using live = await notesTest();
  live.echo.confidenceOf = () => 0.4;
  await say(live, "He did it", 5_000, 6_000);
  await live.clock.advance(560_000);
  expect(await texts(live)).toEqual([]);
  await live.service.stop();
  await using next = await liveTest({ store: live.store, noteWriters: [live.echo] });
  // The clock of the new service begins now; the request has most of its 10 minutes left.
  await next.service.ping("k");
  await next.clock.advance(590_000);
  expect(await texts(next)).toEqual([]);
  await next.clock.advance(20_000);
  expect(await texts(next)).toEqual(["unsure: He did it"]);
  const [note] = await next.service.notes("k");
  expect(note?.confidence).toBe(0.4);
});

test("a server can set the overlap, the confidence and the number of open questions, and a replay makes the same notes", async () => {
  const rules = { overlap: 0.9, similarity: 0.2, confidence: 0.95, openQuestions: 0 };
  await using live = await liveTest({ rules });
  await live.service.open("k", { videoId: "v" });
  for (const [text, startMs] of [
    ["the lamp is lit", 0],
    ["the lamp is lit", 2_000],
  ] as const) {
    await live.send("k", said(text, startMs, { endMs: startMs + 6_000 }));
    await live.clock.advance(7_000);
  }
  // They overlap in two thirds, and a confidence of 0.9 counts as unsure here; nobody is asked.
  const notes = await live.service.notes("k");
  expect(notes.map(({ text, status }) => [text, status])).toEqual([
    ["the lamp is lit", "unsure"],
    ["the lamp is lit", "unsure"],
  ]);
  expect(await live.service.replay("k", "recorded")).toMatchObject({ compared: 2, agreement: 1 });
});

test.each([
  { rules: { overlap: 1.1 } },
  { rules: { openQuestions: -1 } },
  { levels: { warning: 200 } },
  { levels: { normal: 60 } },
])("a service does not start with a setting out of its range: %j", async (settings) => {
  await expect(liveTest(settings)).rejects.toMatchObject({ code: "invalid" });
});

test("closing writes unanswered questions as unsure notes", async () => {
  await using live = await notesTest();
  live.echo.confidenceOf = () => 0.4;
  await say(live, "He did it", 5_000, 6_000);
  await live.service.close("k");
  expect(await texts(live)).toEqual(["unsure: He did it"]);
});

test("the confidence of a note rises with a segment that agrees, falls with one that does not, and a replay makes the same", async () => {
  await using live = await notesTest();
  live.echo.confidenceOf = ({ evidence }) => ((evidence[0]?.startMs ?? 0) === 0 ? 0.9 : 0.7);
  const confidence = async (): Promise<number> => (await live.service.notes("k"))[0]?.confidence ?? 0;
  await say(live, "The harbour opens at 6", 0, 4_000);
  expect(await confidence()).toBe(0.9);
  await say(live, "The harbour opens at 6", 1_000, 4_000);
  const risen = await confidence();
  expect(risen).toBeGreaterThan(0.9);
  await say(live, "The harbour opens at 7", 1_000, 4_000);
  expect(await live.service.notes("k")).toMatchObject([{ text: "The harbour opens at 7", confidence: 0.56 }]);
  expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1, compared: 3 });
});

test.each([
  [0, 1],
  [null, 2],
  [1, 2],
] as const)(
  "with the similarity %j, two different texts at one place become %d notes",
  async (similarity, count) => {
    await using live = await notesTest({ rules: { similarity } });
    await say(live, "The harbour opens at dawn", 1_000, 4_000);
    await say(live, "Gulls sleep on the roof", 1_000, 4_000);
    expect(await live.service.notes("k")).toHaveLength(count);
  },
);

test("with the similarity 1, a text with the same meaning in other words becomes a separate note", async () => {
  const count = async (similarity: number | null): Promise<number> => {
    await using live = await notesTest({ rules: { similarity } });
    await say(live, "The harbour was built in 1872.", 1_000, 4_000);
    await say(live, "The harbour was built in 1872, when the river mouth silted up.", 1_000, 4_000);
    return (await live.service.notes("k")).length;
  };
  expect([await count(null), await count(1)]).toEqual([1, 2]);
});

test("related notes share transcripts or frames with a note, or are similar to it; other notes are left out", async () => {
  const texts = [
    "The lamp of the lighthouse",
    "Its keeper sleeps",
    "The lamp of the lighthouse turns",
    "Bread is baked",
  ];
  const writer: NoteWriter = {
    name: "fixed",
    write: async ({ evidence }) => {
      const frame = evidence.find(({ type }) => type === "frame_captured")?.id ?? "";
      const places = [0, 1_000, 60_000, 120_000];
      return {
        drafts: texts.map((text, n) => {
          const startMs = places[n] ?? 0;
          const cited = n === 1 ? [frame] : [`other ${n}`];
          return {
            draftId: `d${n}`,
            text,
            startMs,
            endMs: startMs + (n === 1 ? 20_000 : 5_000),
            confidence: 0.9,
            evidence: cited,
          };
        }),
      };
    },
  };
  await using live = await liveTest({ noteWriters: [writer] });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("Look", 0), { type: "frame_captured", mediaTimeMs: 2_000 });
  await live.clock.advance(9_000);
  const notes = await live.service.notes("k");
  expect(notes.map(({ text }) => text)).toEqual(texts);
  const [lamp, keeper, turns] = notes.map(({ noteId }) => noteId);
  const related = await live.service.related("k", lamp ?? "");
  expect(related.map(({ noteId }) => noteId).toSorted()).toEqual([keeper, turns].toSorted());
  expect(related.find(({ noteId }) => noteId === keeper)?.shared).toHaveLength(1);
  expect(related.find(({ noteId }) => noteId === turns)?.likeness).toBeGreaterThan(0.5);
  await expect(live.service.related("k", "nowhere")).rejects.toMatchObject({ code: "not_found" });
});

test("notes that show the same scene are related by the embeddings of their frames, unless most notes show it", async () => {
  const related = async (scenes: readonly (readonly number[])[]): Promise<readonly number[]> => {
    await using live = await notesTest();
    for (const [n, embedding] of scenes.entries()) {
      await live.send(
        "k",
        { type: "frame_captured", mediaTimeMs: n * 60_000 + 1_000, embedding, embeddingVersion: "colours" },
        said(SUBJECTS[n] ?? "", n * 60_000, { endMs: n * 60_000 + 4_000 }),
      );
      await live.clock.advance(7_000);
    }
    const notes = await live.service.notes("k");
    expect(notes.map(({ text }) => text)).toEqual(SUBJECTS);
    const found = await live.service.related("k", notes[0]?.noteId ?? "");
    return found.map(({ noteId }) => notes.findIndex((one) => one.noteId === noteId));
  };
  const [slide, face, sea] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const;
  // The fifth note has the picture of the first one again.
  expect(await related([slide, face, sea, face, slide, sea])).toEqual([4]);
  expect(await related([face, face, sea, face, face, face])).toEqual([]);
});

test("after the machine slept, pending words belong to the thought that is open then", async () => {
  await using live = await liveTest({ noteWriters: [extractiveWriter()] });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("The harbour opens at dawn, and the ships wait outside", 0, { endMs: 4_000 }));
  await live.clock.advance(13_000);
  await live.send("k", said("until the owner lights the lamp on the pier.", 4_000, { endMs: 7_000 }));
  await live.settle();
  // Timers stop while the machine sleeps, and the time of day does not.
  const { now } = live.clock;
  (live.clock as { now: () => number }).now = () => now() + 120_000;
  await live.clock.advance(60_000);
  const notes = await live.service.notes("k");
  expect(notes.map(({ text }) => text)).toEqual([
    "The harbour opens at dawn, and the ships wait outside until the owner lights the lamp on the pier.",
  ]);
});

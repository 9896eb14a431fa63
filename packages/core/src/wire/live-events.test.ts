import { expect, test } from "vitest";
import { evidenceOf, noteChangeOf, type PreviousNote } from "./live-events.ts";

const HASH = "a".repeat(64);
const AGENTS: PreviousNote = { startMs: 1_000, endMs: 2_000, by: "agent" };
const PERSONS: PreviousNote = { ...AGENTS, by: "person" };

function change(type: string, kind: "agent" | "person", more: object, before?: PreviousNote) {
  const event = { type, actor: { kind }, data: { noteId: "n", ...more } };
  return noteChangeOf(event, (noteId) => (noteId === "n" ? before : undefined));
}

test.each([
  [
    "a new note",
    change("note_written", "agent", { mediaTimeMs: 5, endMs: 9 }),
    { verb: "written", startMs: 5, endMs: 9, by: "agent" },
  ],
  ["a point in time", change("note_written", "agent", { mediaTimeMs: 5 }), { startMs: 5, endMs: 5 }],
  [
    "times that the event leaves out",
    change("note_updated", "agent", {}, AGENTS),
    { startMs: 1_000, endMs: 2_000 },
  ],
  [
    "times that are no numbers",
    change("note_updated", "agent", { mediaTimeMs: "5", endMs: null }, AGENTS),
    { startMs: 1_000, endMs: 2_000 },
  ],
  ["a status that is not known", change("note_written", "agent", { status: "great" }), { status: "written" }],
  [
    "a person's edit",
    change("note_updated", "person", { operation: "edit" }, AGENTS),
    { verb: "updated", by: "person" },
  ],
  ["an acceptance", change("note_updated", "person", { operation: "accept" }, AGENTS), { verb: "accepted" }],
  [
    "an undo that gives the note back",
    change("note_updated", "person", { operation: "undo", restoredBy: "agent" }, PERSONS),
    { verb: "undone", by: "agent" },
  ],
  ["a part of a split note", change("note_written", "person", { operation: "split" }), { verb: "split" }],
  [
    "the end of a note",
    change("note_archived", "agent", {}, AGENTS),
    { verb: "archived", status: "archived", startMs: 1_000 },
  ],
])("a note changes by %s", (_name, made, expected) => {
  expect(made).toMatchObject({ noteId: "n", ...expected });
});

test.each([
  ["the agent, on a note that a person wrote", change("note_updated", "agent", {}, PERSONS)],
  ["the agent, to the end of a note that a person wrote", change("note_removed", "agent", {}, PERSONS)],
  ["the end of a note that is not known", change("note_archived", "person", {})],
  ["an event without the id of a note", change("note_written", "agent", { noteId: 5 })],
  ["an event of another type", change("remark_added", "person", {}, AGENTS)],
])("no note changes by %s", (_name, made) => {
  expect(made).toBeNull();
});

test.each([
  [
    "transcript_added",
    { text: "Hi", mediaTimeMs: 5, endMs: 9, lang: "en", speaker: "film" },
    { text: "Hi", startMs: 5, endMs: 9, lang: "en", speaker: "film" },
  ],
  [
    "remark_added",
    { text: "Yes", mediaTimeMs: 5 },
    { text: "Yes", startMs: 5, endMs: 5, lang: null, speaker: null },
  ],
  [
    "frame_captured",
    { description: "A slide", text: "no", thumbnail: { hash: HASH }, full: { hash: "../../x" } },
    { text: "A slide", thumbnail: HASH, full: null },
  ],
  [
    "frame_captured",
    { description: 5, thumbnail: "x" },
    { text: "", startMs: 0, thumbnail: null, full: null },
  ],
])("%s is evidence with its words and pictures", (type, data, expected) => {
  expect(evidenceOf({ type, data })).toMatchObject({ type, ...expected });
});

test.each(["voice_activity", "note_written", "evidence_added"])(
  "%s is nothing that a person reads",
  (type) => {
    expect(evidenceOf({ type, data: { text: "x" } })).toBeNull();
  },
);

import { expect, test } from "vitest";
import type { Note } from "../kit/index.ts";
import { eventsOf } from "./note-operations.ts";

const note = (noteId: string, startMs: number, videoId: string): Note => ({
  noteId,
  text: noteId,
  startMs,
  endMs: startMs + 1_000,
  confidence: 0.5,
  evidence: [`e-${noteId}`],
  status: "written",
  lineage: [],
  videoId,
  hash: "",
  by: "agent",
});

test("a note that is merged from notes of several videos has its place in the first one, and the evidence of all", () => {
  const [merged, ...archived] = eventsOf(
    { operation: "merge", noteIds: ["b", "c"] },
    {
      note: note("a", 60_000, "one"),
      sequence: 1,
      others: [note("b", 90_000, "one"), note("c", 1_000, "two")],
      newId: () => "merged",
    },
  );
  expect(merged?.data).toMatchObject({
    content: "a\n\nb\n\nc",
    videoId: "one",
    mediaTimeMs: 60_000,
    endMs: 91_000,
    evidence: ["e-a", "e-b", "e-c"],
  });
  expect(archived).toHaveLength(3);
});

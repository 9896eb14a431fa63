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

test("a note that is merged is as unsure as the least sure of its sources", () => {
  const sources = [0.9, 0.4].map((confidence, at) => ({ ...note(`n${at}`, 0, "one"), confidence }));
  const [first, ...others] = sources;
  if (first === undefined) throw new Error("there are two");
  const merge = { operation: "merge", noteIds: ["n1"] } as const;
  const [merged] = eventsOf(merge, { note: first, sequence: 1, others, newId: () => "merged" });
  expect(merged?.data).toMatchObject({ confidence: 0.4 });
});

test("an edit of a text that somebody changed in the meantime is refused", () => {
  const context = {
    note: { ...note("a", 0, "one"), hash: "new" },
    sequence: 1,
    others: [],
    newId: () => "x",
  };
  const edit = (ifHash?: string) =>
    eventsOf({ operation: "edit", text: "other words", ...(ifHash && { ifHash }) }, context);
  expect(() => edit("old")).toThrow(expect.objectContaining({ code: "conflict" }));
  for (const one of [edit("new"), edit()]) expect(one[0]?.data).toMatchObject({ content: "other words" });
});

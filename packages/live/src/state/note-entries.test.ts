import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { addNoteEvent, type NoteEntry } from "./note-entries.ts";

type Kind = "agent" | "person";

function add(
  notes: Map<string, NoteEntry>,
  sequence: number,
  type: string,
  by: Kind,
  more: object = {},
): void {
  const data = {
    noteId: "n",
    mediaTimeMs: 0,
    endMs: 1_000,
    hash: `hash ${sequence}`,
    status: "written",
    ...more,
  };
  const event = { sequence, type, data, actor: { kind: by }, occurredAt: "2026-01-01T00:00:00.000Z" };
  addNoteEvent(notes, event as unknown as StoredEvent);
}

for (const operation of ["edit", "accept"]) {
  test(`after a person's ${operation}, a note ignores every later event of the agent`, () => {
    const notes = new Map<string, NoteEntry>();
    add(notes, 1, "note_written", "agent");
    add(notes, 2, "note_updated", "person", { operation });
    const kept = notes.get("n");
    expect(kept).toMatchObject({ sequence: 2, by: "person" });
    for (const [n, type] of [
      "note_updated",
      "note_written",
      "note_merged",
      "note_archived",
      "note_removed",
    ].entries()) {
      add(notes, 3 + n, type, "agent");
      expect(notes.get("n")).toEqual(kept);
    }
    // A person can still change the note, and after an undo it belongs to the agent again.
    add(notes, 10, "note_updated", "person", { operation: "undo", restoredBy: "agent" });
    expect(notes.get("n")).toMatchObject({ sequence: 10, by: "agent" });
    add(notes, 11, "note_updated", "agent");
    expect(notes.get("n")).toMatchObject({ sequence: 11 });
  });
}

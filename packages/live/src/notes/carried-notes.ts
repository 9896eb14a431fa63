/** The notes that a continuing session takes over from the session before it, as events of its own log. */

import type { NewEvent, Store } from "@continuo/core/model";
import type { Note } from "../kit/index.ts";
import { restore } from "../state/index.ts";
import { noteData, readNotes } from "./note-events.ts";

/**
 * The notes of a session that ended, in the order of their newest change. A note keeps its id, its text, and its owner;
 * its evidence stays in the former log. Errors: the store's.
 */
export async function carriedEvents(store: Store, parentId: string): Promise<readonly NewEvent[]> {
  if ((await store.getSession(parentId)) === null) return [];
  const { fold } = await restore(store, parentId);
  const entries = [...fold.notes.values()].filter(({ status }) => status !== "archived");
  return (await readNotes(store, parentId, entries)).map((note) => carriedEvent(note, parentId));
}

/** The id follows from the note, so that a repeated append stores it once. */
function carriedEvent({ hash: _, by, damaged: _damaged, ...note }: Note, parentId: string): NewEvent {
  const data = { ...noteData(note), operation: "carry", by, carriedFrom: parentId };
  return { type: "note_written", id: `carried/${note.noteId}`, data };
}

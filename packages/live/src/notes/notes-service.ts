/** Reads the notes of a session, and applies the operations of a person to them. */

import { ContinuoError, type NewEvent, type Store } from "@continuo/core/model";
import { readSequences } from "../evidence/index.ts";
import { findSession, isFields, LIMITS, type Note, type NoteOperation } from "../kit/index.ts";
import { type Follower, type NoteEntry, restore, roomForNotes } from "../state/index.ts";
import { markDamaged } from "./damaged-notes.ts";
import { FULL, noteData, noteOf, readNotes } from "./note-events.ts";
import { eventsOf, undoEvent } from "./note-operations.ts";

/** Returns all notes that are not archived, in the order of their times in the medium. */
export async function notesOf(store: Store, follower: Follower): Promise<readonly Note[]> {
  const { sessionId, fold } = follower;
  const entries = [...fold.notes.values()].filter(({ status }) => status !== "archived");
  const notes = await markDamaged(store, follower, await readNotes(store, sessionId, entries));
  return notes.toSorted((a, b) => a.startMs - b.startMs || (a.noteId < b.noteId ? -1 : 1));
}

export interface NoteOperationRequest {
  readonly store: Store;
  readonly follower: Follower;
  readonly noteId: string;
  readonly operation: NoteOperation;
  readonly newId: () => string;
}

/**
 * Returns the events of an operation. Errors: `not_found`; `conflict` for a note that is archived, has nothing to undo,
 * or differs from the edited version; `too_large` if there are too many notes.
 */
export async function operationEvents(request: NoteOperationRequest): Promise<readonly NewEvent[]> {
  const { store, follower, noteId, operation, newId } = request;
  const removed = follower.fold.notes.get(noteId);
  if (operation.operation === "undo" && removed?.status === "archived" && removed.removed !== undefined) {
    return [await restored(request, removed, removed.removed)];
  }
  const entry = entryOf(follower, noteId);
  const note = await readNote(store, follower, entry);
  if (operation.operation === "split" && roomForNotes(follower.fold.notes) < operation.parts.length - 1) {
    throw new ContinuoError("too_large", FULL, {
      hint: "Close the session and open its key again: the next session has the notes of this one.",
      details: { limit: LIMITS.notes },
    });
  }
  if (operation.operation === "undo") return [await undo(request, entry, note)];
  const others =
    operation.operation === "merge"
      ? await Promise.all(
          operation.noteIds
            .filter((other) => other !== noteId)
            .map((other) => readNote(store, follower, entryOf(follower, other))),
        )
      : [];
  return eventsOf(operation, { note, sequence: entry.sequence, others, newId });
}

/** Undoes the removal of a note. */
async function restored(
  { store, follower }: NoteOperationRequest,
  entry: NoteEntry,
  { status, by }: NonNullable<NoteEntry["removed"]>,
): Promise<NewEvent> {
  if (roomForNotes(follower.fold.notes) < 1) {
    throw new ContinuoError("too_large", FULL, { details: { limit: LIMITS.notes } });
  }
  const note = await readNote(store, follower, { ...entry, status, by });
  return undoEvent(note, note);
}

async function undo(
  { store, follower }: NoteOperationRequest,
  { sequence, noteId }: NoteEntry,
  note: Note,
): Promise<NewEvent> {
  const [event] = await readSequences(store, follower.sessionId, [sequence]);
  const data = isFields(event?.data) ? event.data : {};
  const { operation, previousSequence, previousBy } = data;
  if ((operation !== "edit" && operation !== "accept") || typeof previousSequence !== "number") {
    throw new ContinuoError("conflict", `the note ${noteId} has no change that can be undone`, {
      hint: "Undo only the newest edit, acceptance or removal of a note.",
      details: { noteId },
    });
  }
  const [before] = await readSequences(store, follower.sessionId, [previousSequence]);
  const previous = before === undefined ? null : noteOf(before);
  if (previous === null) throw notFound(noteId);
  return undoEvent({ ...previous, by: previousBy === "agent" ? "agent" : "person" }, note);
}

function entryOf({ fold }: Follower, noteId: string): NoteEntry {
  const entry = fold.notes.get(noteId);
  if (entry === undefined) throw notFound(noteId);
  if (entry.status !== "archived") return entry;
  throw new ContinuoError("conflict", `the note ${noteId} is archived`, { details: { noteId } });
}

async function readNote(store: Store, { sessionId }: Follower, entry: NoteEntry): Promise<Note> {
  const [note] = await readNotes(store, sessionId, [entry]);
  if (note === undefined) throw notFound(entry.noteId);
  return note;
}

function notFound(noteId: string): ContinuoError {
  return new ContinuoError("not_found", `there is no note ${noteId}`, { details: { noteId } });
}

/** Returns the answer to a `context_requested`. Errors: `not_found`, `invalid`. */
export function answerEvent(
  { fold }: Follower,
  requestId: string,
  { text, mediaTimeMs }: { readonly text: unknown; readonly mediaTimeMs: unknown },
): NewEvent {
  if (fold.requests.get(requestId)?.answer !== null) {
    throw new ContinuoError("not_found", "there is no open request of this id", { details: { requestId } });
  }
  const isText = typeof text === "string" && text !== "" && text.length <= LIMITS.textChars;
  if (!isText || !Number.isSafeInteger(mediaTimeMs) || Number(mediaTimeMs) < 0) {
    throw new ContinuoError("invalid", "text must be a text, and mediaTimeMs a whole number from 0");
  }
  return { type: "remark_added", data: { text, mediaTimeMs, requestId }, actor: { kind: "person" } };
}

/**
 * The notes of a session that ended, in the order of their newest change. A note keeps its id, its text and its owner;
 * its evidence stays in the earlier log. Errors: those of the store.
 */
export async function carriedEvents(store: Store, parentId: string): Promise<readonly NewEvent[]> {
  if ((await findSession(store, parentId)) === null) return [];
  const { fold } = await restore(store, parentId);
  const entries = [...fold.notes.values()].filter(({ status }) => status !== "archived");
  return (await readNotes(store, parentId, entries)).map((note) => carriedEvent(note, parentId));
}

/** The id of the event follows from the note, so that a repeated append stores it only once. */
function carriedEvent({ hash: _, by, damaged: _damaged, ...note }: Note, parentId: string): NewEvent {
  const data = { ...noteData(note), operation: "carry", by, carriedFrom: parentId };
  return { type: "note_written", id: `carried/${note.noteId}`, data };
}

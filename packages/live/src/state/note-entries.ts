/**
 * The notes of a session in the fold: the place of each note in the log and in the medium. The text is in the event.
 */

import type { StoredEvent } from "@continuo/core/model";
import {
  foldNote,
  type Note,
  type NoteChange,
  type NoteMoment,
  recordOf,
  type Span,
} from "@continuo/core/wire";
import { LIMITS } from "../kit/index.ts";

export interface NoteEntry extends Span, Pick<Note, "noteId" | "status" | "by"> {
  /** The sequence of the event that has the whole note in its current form. */
  readonly sequence: number;
  readonly hash: string;
  /** The agent's changes in the last hour of the log, in milliseconds since 1970. */
  readonly revisedAtMs: readonly number[];
  /** The owner and the status of an archived note before a person removed it, for `undo`. */
  readonly removed?: Pick<Note, "status" | "by">;
}

type Entries = Map<string, NoteEntry>;

export function addNoteEvent(notes: Entries, event: StoredEvent): void {
  foldNote(notes, event, { toNote: toNoteEntry });
  forgetArchived(notes);
}

export function toNoteEntry(
  { verb, ...changed }: NoteChange,
  { event, before, notes }: NoteMoment<StoredEvent, NoteEntry>,
): NoteEntry {
  if (verb === "archived" && before !== undefined) {
    const { status, by } = before;
    const isRemoved = event.type === "note_removed" && event.actor.kind === "person" && status !== "archived";
    return { ...before, ...changed, ...(isRemoved ? { removed: { status, by } } : {}) };
  }
  const { sources, hash } = recordOf(event.data);
  const atMs = Date.parse(event.occurredAt);
  const earlier = revisionsBefore(notes, before, sources).filter((at) => atMs - at < LIMITS.revisionMs);
  const isRevision = event.actor.kind !== "person" && event.type !== "note_written";
  return {
    ...changed,
    sequence: event.sequence,
    hash: typeof hash === "string" ? hash : event.payloadHash,
    revisedAtMs: isRevision ? [...earlier, atMs] : earlier,
  };
}

/** Forgets the archived note with the oldest change if there are too many notes: archived notes cannot change. */
export function forgetArchived(notes: Entries): void {
  if (notes.size <= LIMITS.noteEntries) return;
  for (const { noteId, status } of notes.values()) {
    if (status !== "archived") continue;
    notes.delete(noteId);
    return;
  }
}

/** Returns the number of notes that the session can still take. */
export function roomForNotes(notes: ReadonlyMap<string, NoteEntry>): number {
  let room: number = LIMITS.notes;
  for (const { status } of notes.values()) if (status !== "archived") room--;
  return room;
}

/** A merged note gets the longest list of revisions of its sources, so that a merge cannot bypass the limit. */
function revisionsBefore(
  notes: ReadonlyMap<string, NoteEntry>,
  before: NoteEntry | undefined,
  sources: unknown,
): readonly number[] {
  if (before !== undefined || !Array.isArray(sources)) return before?.revisedAtMs ?? [];
  const lists = sources.map((noteId) => notes.get(noteId as string)?.revisedAtMs ?? []);
  return lists.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

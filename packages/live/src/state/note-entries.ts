/**
 * The notes of a session in the fold: the place of each note in the log and in the medium. The text is in the event. A
 * note that a person wrote or accepted stays: later events of the agent on it do not count.
 */

import type { StoredEvent } from "@continuo/core/model";
import { LIMITS, type NoteStatus } from "../kit/index.ts";

export interface NoteEntry {
  readonly noteId: string;
  /** The sequence of the event that has the whole note in its current form. */
  readonly sequence: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: NoteStatus;
  readonly by: "agent" | "person";
  readonly hash: string;
  /** The agent's changes in the last hour of the log, in milliseconds since 1970. */
  readonly revisedAtMs: readonly number[];
}

type Fields = Readonly<Record<string, unknown>>;
type Entries = Map<string, NoteEntry>;

export function addNoteEvent(notes: Entries, event: StoredEvent, data: Fields): void {
  const { noteId } = data;
  if (typeof noteId !== "string") return;
  const before = notes.get(noteId);
  const by = event.actor.kind === "person" ? "person" : "agent";
  if (before?.by === "person" && by === "agent") return;
  if (event.type === "note_archived" || event.type === "note_removed") {
    if (before !== undefined) notes.set(noteId, { ...before, status: "archived", by });
    forgetArchived(notes);
    return;
  }
  const atMs = Date.parse(event.occurredAt);
  const earlier = revisionsBefore(notes, before, data.sources).filter((at) => atMs - at < LIMITS.revisionMs);
  const isRevision = by === "agent" && event.type !== "note_written";
  // Notes are in the order of their newest change: the newest one is the last.
  notes.delete(noteId);
  notes.set(noteId, {
    noteId,
    sequence: event.sequence,
    startMs: numberOf(data.mediaTimeMs) ?? before?.startMs ?? 0,
    endMs: numberOf(data.endMs) ?? before?.endMs ?? numberOf(data.mediaTimeMs) ?? 0,
    status: statusOf(data.status),
    by: data.operation === "undo" && data.restoredBy === "agent" ? "agent" : by,
    hash: typeof data.hash === "string" ? data.hash : event.payloadHash,
    revisedAtMs: isRevision ? [...earlier, atMs] : earlier,
  });
  forgetArchived(notes);
}

/** Archived notes cannot change: the oldest ones are forgotten to make room. */
function forgetArchived(notes: Entries): void {
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

/** A merged note inherits the revisions of its sources, so that merging does not get around the limit. */
function revisionsBefore(notes: Entries, before: NoteEntry | undefined, sources: unknown): readonly number[] {
  if (before !== undefined || !Array.isArray(sources)) return before?.revisedAtMs ?? [];
  const lists = sources.map((noteId) => notes.get(noteId as string)?.revisedAtMs ?? []);
  return lists.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

/** True if later events of the agent may change the note. */
export function isAgents(entry: NoteEntry): boolean {
  return entry.by === "agent" && entry.status !== "accepted" && entry.status !== "archived";
}

function statusOf(value: unknown): NoteStatus {
  return value === "unsure" || value === "accepted" || value === "archived" || value === "draft"
    ? value
    : "written";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

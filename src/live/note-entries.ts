/**
 * The notes of a session as the fold keeps them: where each lies in the log and in the medium. The text is in the
 * event. What a person wrote or accepted stays: later events of the agent on that note do not count.
 */

import type { StoredEvent } from "../model/index.ts";
import { LIMITS } from "./limits.ts";
import type { NoteStatus } from "./types.ts";

export interface NoteEntry {
  readonly noteId: string;
  /** The event that holds the whole note as it is now. */
  readonly sequence: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: NoteStatus;
  readonly by: "agent" | "person";
  readonly hash: string;
  /** When the agent changed it, in the last hour of its log; milliseconds since 1970. */
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
  // A note in the order of its newest change: the newest notes are the last ones.
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

/** Archived notes can be changed no more: the oldest ones make room. */
function forgetArchived(notes: Entries): void {
  if (notes.size <= LIMITS.noteEntries) return;
  for (const { noteId, status } of notes.values()) {
    if (status !== "archived") continue;
    notes.delete(noteId);
    return;
  }
}

/** How many notes a session takes until it has as many as it can have. */
export function roomForNotes(notes: ReadonlyMap<string, NoteEntry>): number {
  let room: number = LIMITS.notes;
  for (const { status } of notes.values()) if (status !== "archived") room--;
  return room;
}

/** A merged note inherits them: merging again and again is no way around the limit. */
function revisionsBefore(notes: Entries, before: NoteEntry | undefined, sources: unknown): readonly number[] {
  if (before !== undefined || !Array.isArray(sources)) return before?.revisedAtMs ?? [];
  const lists = sources.map((noteId) => notes.get(noteId as string)?.revisedAtMs ?? []);
  return lists.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

/** Whether a later event of the agent may change the note. */
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

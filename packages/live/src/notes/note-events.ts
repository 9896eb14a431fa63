/** Notes as events and back: each event that writes, updates or merges a note has the whole note. */

import { canonicalJson, type NewEvent, type Store, type StoredEvent } from "@continuo/core/model";
import { readSequences } from "../evidence/index.ts";
import { isFields, LIMITS, type Note, type NoteStatus, sha256 } from "../kit/index.ts";
import type { LiveFold, NoteEntry } from "../state/index.ts";

/** Why a draft became no note: the session has as many notes as it can have. */
export const FULL: string = `the session has ${LIMITS.notes} notes, and no room for another one`;

/** A note before its hash is known. */
export type NoteContent = Omit<Note, "hash" | "by" | "damaged">;

export function noteHash(note: NoteContent): string {
  const { noteId, text, startMs, endMs, confidence, evidence, status, lineage, videoId } = note;
  const content = { noteId, text, startMs, endMs, confidence, evidence, status, lineage };
  return sha256(canonicalJson(videoId === undefined ? content : { ...content, videoId }));
}

/** The fields of every event that has the whole note. */
export function noteData(note: NoteContent): Readonly<Record<string, unknown>> {
  const { noteId, text, startMs, endMs, confidence, evidence, status, lineage, videoId } = note;
  return {
    noteId,
    content: text,
    mediaTimeMs: startMs,
    endMs,
    confidence,
    evidence,
    status,
    lineage,
    ...(videoId === undefined ? {} : { videoId }),
    hash: noteHash(note),
  };
}

export function noteEvent(type: NewEvent["type"], note: NoteContent, more: object = {}): NewEvent {
  return { type, data: { ...noteData(note), ...more } };
}

/** The note in an event, with the status that later events gave it; `null` for an event that was pruned. */
export function noteOf(
  { data, actor }: StoredEvent,
  { status, by }: Partial<Pick<NoteEntry, "status" | "by">> = {},
): Note | null {
  if (!isFields(data) || typeof data.noteId !== "string") return null;
  const startMs = Number(data.mediaTimeMs ?? 0);
  const content: NoteContent = {
    noteId: data.noteId,
    text: typeof data.content === "string" ? data.content : "",
    startMs,
    endMs: Number(data.endMs ?? startMs),
    confidence: Number(data.confidence ?? 1),
    evidence: textsIn(data.evidence),
    status: status ?? (typeof data.status === "string" ? (data.status as NoteStatus) : "written"),
    lineage: textsIn(data.lineage),
    ...(typeof data.videoId === "string" ? { videoId: data.videoId } : {}),
  };
  return { ...content, hash: noteHash(content), by: by ?? (actor.kind === "person" ? "person" : "agent") };
}

export async function readNotes(
  store: Store,
  sessionId: string,
  entries: readonly NoteEntry[],
): Promise<readonly Note[]> {
  const sequences = entries.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
  const events = await readSequences(store, sessionId, sequences);
  const known = new Map(entries.map((entry) => [entry.sequence, entry]));
  return events.flatMap((event) => noteOf(event, known.get(event.sequence)) ?? []);
}

/** The most recently changed notes, oldest first; archived ones are left out. */
export function newestEntries({ notes }: Pick<LiveFold, "notes">, count: number): readonly NoteEntry[] {
  return [...notes.values()].filter(({ status }) => status !== "archived").slice(-count);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

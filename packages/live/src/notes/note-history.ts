/**
 * The notes of a session as they were at a place of its log. They are folded from the newest checkpoint before the
 * place and the note events after that checkpoint.
 */

import type { Store, StoredEvent } from "@continuo/core/model";
import { NOTE_EVENT_TYPES, type NoteEvent, toWireEvent } from "@continuo/core/wire";
import { readSequences } from "../evidence/index.ts";
import { isFields, LIMITS } from "../kit/index.ts";
import { addNoteEvent, type NoteEntry, SNAPSHOT_NAME, unseal } from "../state/index.ts";

/** The notes after all events up to this sequence, including archived notes. Errors: those of the store. */
export async function entriesAt(
  store: Store,
  sessionId: string,
  sequence: number,
): Promise<ReadonlyMap<string, NoteEntry>> {
  const start = await checkpointAt(store, sessionId, sequence);
  const { notes } = start;
  for (let after: number | null = start.sequence; after !== null && after < sequence; ) {
    const place = { after, before: sequence + 1, types: NOTE_EVENT_TYPES, limit: LIMITS.restorePage };
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, place);
    for (const event of page.events) addNoteEvent(notes, event);
    after = page.nextAfter;
  }
  return notes;
}

interface Start {
  readonly sequence: number;
  readonly notes: Map<string, NoteEntry>;
}

/** The newest checkpoint that can be used; the beginning of the log if none of the newest few can be used. */
async function checkpointAt(store: Store, sessionId: string, sequence: number): Promise<Start> {
  let atSequence = sequence;
  for (let n = 0; n < LIMITS.triedSnapshots && atSequence > 0; n++) {
    const snapshot = await store.getLatestSnapshot({ logId: sessionId, name: SNAPSHOT_NAME, atSequence });
    if (snapshot === null) break;
    const fold = await unseal(snapshot.data);
    if (fold !== null && fold !== "other version" && fold.sequence === snapshot.sequence) return fold;
    atSequence = snapshot.sequence - 1;
  }
  return { sequence: 0, notes: new Map() };
}

/**
 * The events that contain these notes. Texts and lists are cut if all together are too large. Errors: those of the
 * store.
 */
export async function noteEventsOf(
  store: Store,
  sessionId: string,
  entries: readonly NoteEntry[],
): Promise<readonly NoteEvent[]> {
  const sequences = entries.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
  const known = new Map(entries.map((entry) => [entry.sequence, entry]));
  const notes: NoteEvent[] = [];
  for (let n = 0; n < sequences.length; n += LIMITS.notesAtOnce) {
    const part = await readSequences(store, sessionId, sequences.slice(n, n + LIMITS.notesAtOnce));
    // Texts are cut immediately, so that many long notes are never in memory together.
    for (const event of part) {
      const note = noteEventIn(event, known.get(event.sequence));
      if (note !== null) notes.push(cutTo(note, { content: LIMITS.noteChars, ids: LIMITS.shownEvidence }));
    }
  }
  return fitted(notes);
}

/** `null` for an event that was pruned. */
function noteEventIn(event: StoredEvent, entry: NoteEntry | undefined): NoteEvent | null {
  const { data } = event;
  if (entry === undefined || !isFields(data)) return null;
  const { content, mediaTimeMs, endMs, confidence, evidence, lineage, operation } = data;
  const { noteId, status, by } = entry;
  const kept = { noteId, content, mediaTimeMs, endMs, confidence, evidence, lineage, operation };
  return { event: { ...toWireEvent(event), data: kept }, status, by, cut: null };
}

export interface NoteRoom {
  readonly content: number;
  /** The greatest number of ids in the evidence, and also in the lineage. */
  readonly ids: number;
}

function cutTo(note: NoteEvent, { content, ids }: NoteRoom): NoteEvent {
  const { event, cut } = note;
  const data = isFields(event.data) ? event.data : {};
  const text = typeof data.content === "string" ? data.content : "";
  const evidence = Array.isArray(data.evidence) ? data.evidence : [];
  const lineage = Array.isArray(data.lineage) ? data.lineage : [];
  if (text.length <= content && evidence.length <= ids && lineage.length <= ids) return note;
  const short = {
    content: text.slice(0, content).toWellFormed(),
    evidence: evidence.slice(0, ids),
    lineage: lineage.slice(0, ids),
  };
  return {
    ...note,
    event: { ...event, data: { ...data, ...short } },
    cut: cut ?? { content: text.length, evidence: evidence.length, lineage: lineage.length },
  };
}

function fitted(notes: readonly NoteEvent[]): readonly NoteEvent[] {
  const sizes = notes.map(({ event: { data } }) => (isFields(data) ? data : {}));
  const content = shareOf(
    sizes.map((data) => (typeof data.content === "string" ? data.content.length : 0)),
    LIMITS.notesChars,
  );
  const ids = shareOf(
    sizes.map(({ evidence, lineage }) => Math.max(lengthOf(evidence), lengthOf(lineage))),
    LIMITS.notesIds,
  );
  return notes.map((note) => cutTo(note, { content, ids }));
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/**
 * The greatest length of each list so that all together do not exceed the room: short lists leave their room to others.
 */
export function shareOf(lengths: readonly number[], room: number): number {
  let left = room;
  for (const [n, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - n));
    if (length > share) return share;
    left -= length;
  }
  return Number.MAX_SAFE_INTEGER;
}

/**
 * The newest versions of a note up to a sequence, oldest first. If these are all versions, also the notes from which
 * the first one was made. `null` if there is no such note. Errors: those of the store.
 */
export async function noteHistoryAt(
  store: Store,
  {
    sessionId,
    noteId,
    sequence,
  }: { readonly sessionId: string; readonly noteId: string; readonly sequence: number },
): Promise<{
  readonly versions: readonly NoteEvent[];
  readonly hasOlder: boolean;
  readonly origins: readonly NoteEvent[];
} | null> {
  const found: NoteEntry[] = [];
  let entry = (await entriesAt(store, sessionId, sequence)).get(noteId);
  while (entry !== undefined && found.length < LIMITS.shownVersions) {
    found.unshift(entry);
    entry = (await entriesAt(store, sessionId, entry.sequence - 1)).get(noteId);
  }
  const [first] = found;
  if (first === undefined) return null;
  const versions = await noteEventsOf(store, sessionId, found);
  if (entry !== undefined) return { versions, hasOlder: true, origins: [] };
  const lineage = versions[0]?.event.sequence === first.sequence ? lineageOf(versions[0]) : [];
  const before = lineage.length === 0 ? null : await entriesAt(store, sessionId, first.sequence - 1);
  const origins = await noteEventsOf(
    store,
    sessionId,
    lineage.flatMap((id) => before?.get(id) ?? []),
  );
  const place = ({ event: { data } }: NoteEvent): number =>
    lineage.indexOf(isFields(data) ? String(data.noteId) : "");
  return { versions, hasOlder: false, origins: origins.toSorted((a, b) => place(a) - place(b)) };
}

function lineageOf({ event: { data } }: NoteEvent): readonly string[] {
  const { lineage } = isFields(data) ? data : {};
  return Array.isArray(lineage) ? lineage.filter((id) => typeof id === "string") : [];
}

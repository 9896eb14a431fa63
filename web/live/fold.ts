/**
 * The loaded part of a continuous session: its timeline, and the notes before it with their changes in it, so that the
 * page can show any position of the part. It grows on both sides and stays bounded. Pure.
 */

import {
  foldLive,
  type LiveChange,
  type LiveHistory,
  type LiveReader,
  NOTE_EVENT_TYPES,
  type Note,
  type NoteChange,
  type NoteCut,
  type NoteEvent,
  type NoteVerb,
  newLiveView,
  noteVerbOf,
  numberOr,
  type PendingQuestion,
  type ReadableEvidence,
  recordOf,
  textOfContent,
  textOr,
  type WireEvent,
} from "@continuo/core/wire";

interface EventPlace {
  readonly sequence: number;
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

export interface Picture {
  readonly hash: string;
  readonly tier: "thumbnail" | "full";
}

type EvidenceItem =
  | {
      readonly type: "said" | "remark";
      readonly mediaTimeMs: number;
      readonly text: string;
      readonly speaker: string | null;
    }
  | {
      readonly type: "frame";
      readonly mediaTimeMs: number;
      readonly text: string;
      readonly picture: Picture | null;
    };

type ItemContent =
  | EvidenceItem
  | { readonly type: "question"; readonly mediaTimeMs: number; readonly text: string }
  | {
      readonly type: "note";
      readonly verb: NoteVerb;
      readonly noteId: string;
      readonly by: Note["by"];
      readonly text: string;
    }
  | { readonly type: "state"; readonly text: string }
  | { readonly type: "checkpoint"; readonly cursor: number }
  | { readonly type: "lost"; readonly count: number };

export type Item = EventPlace & ItemContent;

/** A note after one event. */
export interface NoteVersion extends NoteChange, Pick<Note, "text" | "confidence" | "evidence"> {
  readonly sequence: number;
  readonly at: string;
  /** The notes that were merged or split into it. */
  readonly from: readonly string[];
  /** The full length, if the server shortened it. */
  readonly cut: NoteCut | null;
  /** The video in which its span lies, if that is not the video of the session. */
  readonly videoId?: string;
}

export type Notes = ReadonlyMap<string, NoteVersion>;

/** A part of the log: everything after `from` and up to `to`. */
export interface LivePart {
  /** In the order of the log. */
  readonly items: readonly Item[];
  /** The notes at `from`. */
  readonly base: Notes;
  /** Versions of notes in the part, in the order of the log. */
  readonly changes: readonly NoteVersion[];
  readonly from: number;
  readonly to: number;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

export const EMPTY_PART: LivePart = {
  items: [],
  base: new Map(),
  changes: [],
  from: 0,
  to: 0,
  hasOlder: false,
  hasNewer: false,
};

/** The greatest number of lines that are loaded at the same time. */
export const MOST_LOADED = 1_000;
/** If there are more notes than this, archived notes are forgotten. */
const MOST_NOTES = 4_500;

/** A window for `older` or `newer` that is not adjacent to the part changes nothing. */
export function foldWindow(
  part: LivePart,
  window: Omit<LiveHistory, "latestSequence" | "sessionId">,
  place: "instead" | "older" | "newer",
): LivePart {
  const { events, from, sequence: to, hasOlder, hasNewer } = window;
  if (place === "newer") return from === part.to ? withNewer(part, events, { to, hasNewer }) : part;
  const told = new Map(window.notes.map((note) => baseOf(note)));
  if (place === "instead") {
    const { items, changes } = foldEvents(told, events);
    return { items, base: told, changes, from, to, hasOlder, hasNewer };
  }
  if (to !== part.from) return part;
  const base = new Map(part.base);
  for (const { type, data } of events) {
    const { noteId } = recordOf(data);
    // A note that the server does not name was created in this window.
    if (NOTE_EVENT_TYPES.includes(type) && typeof noteId === "string") base.delete(noteId);
  }
  for (const [noteId, note] of told) base.set(noteId, note);
  const older = foldEvents(base, events);
  const changes = [...older.changes, ...part.changes];
  return withoutNewest({ ...part, items: [...older.items, ...part.items], changes, base, from, hasOlder });
}

/** Adds events that follow the part without a gap. */
export function withNewer(
  part: LivePart,
  events: readonly WireEvent[],
  { to, hasNewer }: Pick<LivePart, "to" | "hasNewer">,
): LivePart {
  const newer = foldEvents(notesAfter(part, null), events);
  const items = [...part.items, ...newer.items];
  return withoutOldest({ ...part, items, changes: [...part.changes, ...newer.changes], to, hasNewer });
}

/** The notes after these events. */
export function foldNotes(notes: Notes, events: readonly WireEvent[]): Notes {
  const { changes } = foldEvents(notes, events);
  return changes.length === 0 ? notes : applied(notes, changes);
}

/** The notes at a position of the part, including archived ones; `null` is the end of the part. */
export function notesAfter({ base, changes }: LivePart, at: number | null): Notes {
  return applied(base, at === null ? changes : changes.filter(({ sequence }) => sequence <= at));
}

function applied(notes: Notes, changes: readonly NoteVersion[]): Notes {
  const after = new Map(notes);
  for (const change of changes) after.set(change.noteId, change);
  return after.size > MOST_NOTES ? withoutArchived(after) : after;
}

function withoutArchived(notes: Notes): Notes {
  return new Map([...notes].filter(([, { status }]) => status !== "archived"));
}

function withoutOldest(part: LivePart): LivePart {
  const first = part.items.at(-MOST_LOADED);
  if (first === undefined || part.items.length === MOST_LOADED) return part;
  const from = first.sequence - 1;
  return {
    ...part,
    items: part.items.slice(-MOST_LOADED),
    base: withoutArchived(notesAfter(part, from)),
    changes: part.changes.filter(({ sequence }) => sequence > from),
    from,
    hasOlder: true,
  };
}

function withoutNewest(part: LivePart): LivePart {
  if (part.items.length <= MOST_LOADED) return part;
  const items = part.items.slice(0, MOST_LOADED);
  const to = items.at(-1)?.sequence ?? part.to;
  return {
    ...part,
    items,
    changes: part.changes.filter(({ sequence }) => sequence <= to),
    to,
    hasNewer: true,
  };
}

function baseOf(note: NoteEvent): readonly [string, NoteVersion] {
  const version = versionOfEvent(note);
  return [version.noteId, version];
}

/** Converts a version of a note from the form of the server. */
export function versionOfEvent({ event, status, by, cut }: NoteEvent): NoteVersion {
  const data = recordOf(event.data);
  const startMs = numberOr(data.mediaTimeMs, 0);
  const endMs = numberOr(data.endMs, startMs);
  const change = { noteId: textOr(data.noteId, ""), verb: noteVerbOf(event), startMs, endMs, status, by };
  return { ...toVersion(event, change, undefined), cut };
}

function foldEvents(before: Notes, events: readonly WireEvent[]): Pick<LivePart, "items" | "changes"> {
  const view = newLiveView<NoteVersion, PendingQuestion>(new Map(before));
  const items: Item[] = [];
  const changes: NoteVersion[] = [];
  for (const event of events) {
    const change = foldLive(view, event, VIEWER);
    if (change?.type === "note") changes.push(change.note);
    const item = change === null ? null : toItem(change, event);
    if (item !== null) items.push({ ...placeOf(event), ...item });
  }
  return { items, changes };
}

const VIEWER: LiveReader<WireEvent, NoteVersion, PendingQuestion> = {
  toNote: (change, { event, before }) => toVersion(event, change, before),
  toRequest: ({ requestId }) => ({ requestId, answer: null }),
};

function toVersion(event: WireEvent, change: NoteChange, last: NoteVersion | undefined): NoteVersion {
  const place = { sequence: event.sequence, at: event.occurredAt };
  if (change.verb === "archived" && last !== undefined) return { ...last, ...change, ...place };
  const data = recordOf(event.data);
  return {
    ...change,
    ...place,
    text: textOfContent(data.content),
    confidence: numberOr(data.confidence, 1),
    ...(typeof data.videoId === "string" ? { videoId: data.videoId } : {}),
    evidence: textsIn(data.evidence),
    from: [...new Set([...(last?.from ?? []), ...textsIn(data.lineage), ...textsIn(data.sources)])],
    cut: null,
  };
}

/** A line of the timeline; `null` for an event without one. */
function toItem(change: LiveChange<NoteVersion>, { actor }: WireEvent): ItemContent | null {
  switch (change.type) {
    case "evidence":
      return toEvidenceItem(change.evidence);
    case "note": {
      const { verb, noteId, text } = change.note;
      const by = actor.kind === "person" ? "person" : "agent";
      return { type: "note", verb, noteId, by, text: text.slice(0, 200) };
    }
    case "question": {
      const { mediaTimeMs, question } = change.question;
      return { type: "question", mediaTimeMs, text: question };
    }
    case "state": {
      const text = stateText(change.data);
      return text === "" ? null : { type: "state", text };
    }
    case "checkpoint":
    case "lost":
      return change;
  }
}

function toEvidenceItem({ type, startMs, text, speaker, thumbnail, full }: ReadableEvidence): EvidenceItem {
  const at = { mediaTimeMs: startMs, text };
  if (type !== "frame_captured") return { ...at, type: type === "remark_added" ? "remark" : "said", speaker };
  // If there are two pictures, the smaller one is shown.
  if (thumbnail !== null) return { ...at, type: "frame", picture: { hash: thumbnail, tier: "thumbnail" } };
  return { ...at, type: "frame", picture: full === null ? null : { hash: full, tier: "full" } };
}

function stateText({ state, level, budget, restart, reason }: Readonly<Record<string, unknown>>): string {
  const parts = [
    restart === true ? "another server took over" : "",
    typeof state === "string" ? state : "",
    typeof level === "string" ? `level ${level}` : "",
    typeof budget === "string" ? `budget ${budget}` : "",
    state === "degraded" && typeof reason === "string" ? reason : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function placeOf({ sequence, id, occurredAt }: WireEvent): EventPlace {
  return { sequence, id, at: occurredAt };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/**
 * A continuous session for the page: its timeline, and every version of its notes, so that it can be shown at any
 * position of its log. Each event is folded once, in order. Pure.
 */

import type { Note, NoteStatus } from "../../src/wire/index.ts";
import { recordOf, textOfContent, type WireEvent } from "../../src/wire/index.ts";

interface Place {
  readonly sequence: number;
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

export interface Picture {
  readonly hash: string;
  readonly tier: "thumbnail" | "full";
}

/** What happened to a note. */
export type NoteVerb = "written" | "updated" | "accepted" | "undone" | "merged" | "split" | "archived";

export type Item = Place &
  (
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
      }
    | { readonly type: "question"; readonly mediaTimeMs: number; readonly text: string }
    | { readonly type: "note"; readonly verb: NoteVerb; readonly noteId: string; readonly by: Note["by"] }
    | { readonly type: "state"; readonly text: string }
    | { readonly type: "checkpoint"; readonly cursor: number }
    | { readonly type: "lost"; readonly count: number }
  );

/** A note after one event. */
export interface NoteVersion
  extends Pick<Note, "text" | "startMs" | "endMs" | "confidence" | "evidence" | "by"> {
  readonly sequence: number;
  readonly at: string;
  readonly verb: NoteVerb;
  readonly status: NoteStatus;
}

export interface NoteHistory {
  readonly noteId: string;
  /** Oldest first. */
  readonly versions: readonly NoteVersion[];
  /** The notes that were merged or split into this one, and the notes that this one became. */
  readonly from: readonly string[];
  readonly into: readonly string[];
}

export interface LiveLog {
  /** In the order of the log. */
  readonly items: readonly Item[];
  /** How many items at the beginning were left out to keep the loaded part small. */
  readonly left: number;
  readonly notes: ReadonlyMap<string, NoteHistory>;
  readonly latest: number;
}

export const EMPTY_LOG: LiveLog = { items: [], left: 0, notes: new Map(), latest: 0 };

export const MOST_ITEMS = 20_000;
const MOST_VERSIONS = 50;

/** One batch of events, newer than all before. */
export function foldLog(log: LiveLog, events: readonly WireEvent[]): LiveLog {
  let { latest } = log;
  const fresh: WireEvent[] = [];
  for (const event of events) {
    if (event.sequence <= latest) continue;
    fresh.push(event);
    latest = event.sequence;
  }
  if (fresh.length === 0) return log;
  const notes = new Map(log.notes);
  const made = fresh.flatMap((event) => (isNoteEvent(event) ? foldNote(notes, event) : toItems(event)));
  const items = [...log.items, ...made];
  const kept = items.slice(-MOST_ITEMS);
  return { items: kept, left: log.left + items.length - kept.length, notes, latest };
}

const NOTE_TYPES: readonly string[] = [
  "note_written",
  "note_updated",
  "note_merged",
  "note_archived",
  "note_removed",
];

function isNoteEvent({ type }: WireEvent): boolean {
  return NOTE_TYPES.includes(type);
}

/** After a change by a person, changes by the agent do not count. */
function foldNote(notes: Map<string, NoteHistory>, event: WireEvent): readonly Item[] {
  const data = recordOf(event.data);
  const { noteId } = data;
  if (typeof noteId !== "string") return [];
  const before = notes.get(noteId);
  const actor = event.actor.kind === "person" ? "person" : "agent";
  if (before?.versions.at(-1)?.by === "person" && actor === "agent") return [];
  const verb = verbOf(event.type, data);
  const version = versionOf(event, { data, verb, last: before?.versions.at(-1), actor });
  if (version === null) return [];
  const parents = [...new Set([...(before?.from ?? []), ...textsIn(data.lineage), ...textsIn(data.sources)])];
  notes.set(noteId, {
    noteId,
    versions: [...(before?.versions ?? []), version].slice(-MOST_VERSIONS),
    from: parents,
    into: before?.into ?? [],
  });
  for (const parent of parents) {
    const known = notes.get(parent);
    if (known === undefined || known.into.includes(noteId)) continue;
    notes.set(parent, { ...known, into: [...known.into, noteId] });
  }
  return [{ ...placeOf(event), type: "note", verb, noteId, by: actor }];
}

interface Change {
  readonly data: Readonly<Record<string, unknown>>;
  readonly verb: NoteVerb;
  readonly last: NoteVersion | undefined;
  readonly actor: Note["by"];
}

/** `null` for the end of an unknown note. */
function versionOf(event: WireEvent, { data, verb, last, actor }: Change): NoteVersion | null {
  const { sequence, occurredAt: at } = event;
  if (verb === "archived")
    return last === undefined ? null : { ...last, sequence, at, verb, status: "archived", by: actor };
  const startMs = numberOr(data.mediaTimeMs, last?.startMs ?? 0);
  return {
    ...{ sequence, at, verb, startMs },
    text: textOfContent(data.content),
    endMs: numberOr(data.endMs, last?.endMs ?? startMs),
    confidence: numberOr(data.confidence, 1),
    evidence: textsIn(data.evidence),
    status: statusOf(data.status),
    // An undo gives the note back to its former owner.
    by: data.operation === "undo" && data.restoredBy === "agent" ? "agent" : actor,
  };
}

function verbOf(type: string, { operation }: Readonly<Record<string, unknown>>): NoteVerb {
  if (type === "note_archived" || type === "note_removed") return "archived";
  if (type === "note_merged") return "merged";
  if (type === "note_written") return operation === "split" ? "split" : "written";
  return operation === "accept" ? "accepted" : operation === "undo" ? "undone" : "updated";
}

function toItems(event: WireEvent): readonly Item[] {
  const data = recordOf(event.data);
  const place = placeOf(event);
  const mediaTimeMs = numberOr(data.mediaTimeMs, 0);
  switch (event.type) {
    case "transcript_added":
    case "remark_added": {
      const speaker = typeof data.speaker === "string" ? data.speaker : null;
      const type = event.type === "remark_added" ? "remark" : "said";
      return [{ ...place, type, mediaTimeMs, text: textOr(data.text), speaker }];
    }
    case "frame_captured":
      return [
        { ...place, type: "frame", mediaTimeMs, text: textOr(data.description), picture: pictureIn(data) },
      ];
    case "context_requested":
      return [{ ...place, type: "question", mediaTimeMs, text: textOr(data.question) }];
    case "session_state_changed": {
      const text = stateText(data);
      return text === "" ? [] : [{ ...place, type: "state", text }];
    }
    case "checkpoint_written":
      return [{ ...place, type: "checkpoint", cursor: numberOr(data.cursor, event.sequence) }];
    case "evidence_dropped":
      return [{ ...place, type: "lost", count: numberOr(data.count, 1) }];
    default:
      return [];
  }
}

/** The smaller picture, if there are two. */
function pictureIn({ thumbnail, full }: Readonly<Record<string, unknown>>): Picture | null {
  for (const [tier, pointer] of [
    ["thumbnail", thumbnail],
    ["full", full],
  ] as const) {
    const { hash } = recordOf(pointer);
    if (typeof hash === "string" && /^[0-9a-f]{64}$/u.test(hash)) return { hash, tier };
  }
  return null;
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

function placeOf({ sequence, id, occurredAt }: WireEvent): Place {
  return { sequence, id, at: occurredAt };
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : other;
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

const STATUSES: readonly unknown[] = [
  "draft",
  "unsure",
  "written",
  "accepted",
  "archived",
] satisfies NoteStatus[];

function statusOf(value: unknown): NoteStatus {
  return STATUSES.includes(value) ? (value as NoteStatus) : "written";
}

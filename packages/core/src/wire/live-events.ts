/**
 * Reads the events of a continuous session: the change of a note, and evidence. The server, the viewer and the
 * extension fold the log with these functions, so that all of them show the same notes.
 */

import { numberOr, recordOf, textOfContent, textOr, type WireEvent } from "./channel-events.ts";
import { NOTE_EVENT_TYPES, type Note, type NoteStatus, type Span } from "./live-notes.ts";

/** The event of a note, as a verb. */
export type NoteVerb = "written" | "updated" | "accepted" | "undone" | "merged" | "split" | "archived";

/** A note after an event. */
export interface NoteChange extends Span, Pick<Note, "noteId" | "by" | "status"> {
  readonly verb: NoteVerb;
}

/** A note before an event. */
export type PreviousNote = Span & Pick<Note, "by">;

type Fields = Readonly<Record<string, unknown>>;
type ReadEvent = Pick<WireEvent, "type" | "actor" | "data">;

/**
 * Returns `null` for an event that changes no note. A note that a person wrote or accepted stays: later events of the
 * agent about it have no effect. An event that ends an unknown note has no effect either.
 */
export function noteChangeOf(
  event: ReadEvent,
  before: (noteId: string) => PreviousNote | undefined,
): NoteChange | null {
  const data = recordOf(event.data);
  const { noteId } = data;
  if (!NOTE_EVENT_TYPES.includes(event.type) || typeof noteId !== "string") return null;
  const last = before(noteId);
  const by = event.actor.kind === "person" ? "person" : "agent";
  if (last?.by === "person" && by === "agent") return null;
  const verb = noteVerbOf(event);
  if (verb === "archived") {
    if (last === undefined) return null;
    return { noteId, verb, by, status: "archived", startMs: last.startMs, endMs: last.endMs };
  }
  const startMs = numberOr(data.mediaTimeMs, last?.startMs ?? 0);
  return {
    noteId,
    verb,
    startMs,
    endMs: numberOr(data.endMs, last?.endMs ?? startMs),
    status: statusOf(data.status),
    by: ownerAfter(data, by),
  };
}

function ownerAfter({ operation, restoredBy, by: carriedBy }: Fields, by: Note["by"]): Note["by"] {
  // Notes that a session takes over keep their owner.
  if (operation === "carry") return carriedBy === "person" ? "person" : "agent";
  // An undo gives the note back to its former owner.
  return operation === "undo" && restoredBy === "agent" ? "agent" : by;
}

export function noteVerbOf({ type, data }: Pick<WireEvent, "type" | "data">): NoteVerb {
  const { operation } = recordOf(data);
  if (type === "note_archived" || type === "note_removed") return "archived";
  if (type === "note_merged") return "merged";
  if (type === "note_written") return operation === "split" ? "split" : "written";
  return operation === "accept" ? "accepted" : operation === "undo" ? "undone" : "updated";
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

/** Evidence that a person can read or look at. */
export interface ReadableEvidence extends Span {
  readonly type: "transcript_added" | "remark_added" | "frame_captured";
  /** The spoken words, or the description of a frame. */
  readonly text: string;
  readonly speaker: string | null;
  /** BCP 47; `null` if it is not known. */
  readonly lang: string | null;
  /** Its video, if that is not the video of the session. */
  readonly videoId: string | null;
  /** The SHA-256 of each picture, as 64 hex digits. */
  readonly thumbnail: string | null;
  readonly full: string | null;
}

/** Returns `null` for events of other types, and for an event without a payload. */
export function evidenceOf({ type, data: value }: Pick<WireEvent, "type" | "data">): ReadableEvidence | null {
  if (type !== "transcript_added" && type !== "remark_added" && type !== "frame_captured") return null;
  // The payload was pruned, or is damaged.
  if (value === null) return null;
  const data = recordOf(value);
  const startMs = numberOr(data.mediaTimeMs, 0);
  return {
    type,
    startMs,
    endMs: numberOr(data.endMs, startMs),
    text: textOfContent(type === "frame_captured" ? data.description : data.text),
    speaker: textOr(data.speaker, null),
    lang: textOr(data.lang, null),
    videoId: textOr(data.videoId, null),
    thumbnail: hashIn(data.thumbnail),
    full: hashIn(data.full),
  };
}

function hashIn(pointer: unknown): string | null {
  const { hash } = recordOf(pointer);
  return typeof hash === "string" && /^[0-9a-f]{64}$/u.test(hash) ? hash : null;
}

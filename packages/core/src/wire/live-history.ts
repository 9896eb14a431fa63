/**
 * The history of a continuous session in windows. A window is a part of the log, with the notes as they were before
 * this part.
 */

import type { WireEvent } from "./channel-events.ts";
import type { NoteStatus } from "./live-notes.ts";

/**
 * The answer of `GET /v1/live/KEY/history`: a range of the log, with the events that the feed sends.
 *
 * - `before`, `after`: a sequence; the window ends before it, or begins after it. The default is the end of the log
 * - `around`: `sequence:NUMBER`, or the id of an event
 * - `limit`: 1 to 500 events, 100 by default; an answer also ends at about 2 MB
 * - `notes`: `all`, `changed` (those that events of the window change), or `none` (default)
 */
export interface LiveHistory {
  readonly sessionId: string;
  /** Oldest first: every event of the feed after `from` and up to `sequence`. */
  readonly events: readonly WireEvent[];
  readonly from: number;
  /** The end of the window. For the next window, set `after` to this sequence. */
  readonly sequence: number;
  /** The sequence of the newest event of the log. */
  readonly latestSequence: number;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /**
   * The notes at `from`, before the first event. Archived notes are included only if events of the window name them.
   */
  readonly notes: readonly NoteEvent[];
}

/** A note at one position of the log: the event that contains it. */
export interface NoteEvent {
  /** The event has the fields of the note and `operation`; texts and lists of a large answer are cut. */
  readonly event: WireEvent;
  /** The status of the note, including changes by later events. */
  readonly status: NoteStatus;
  readonly by: "agent" | "person";
  /** The full length of the text that was cut; `null` if nothing was cut. */
  readonly cut: NoteCut | null;
}

export interface NoteCut {
  /** Characters of the text. */
  readonly content: number;
  readonly evidence: number;
  readonly lineage: number;
}

/** The answer of `GET /v1/live/KEY/notes/ID/history`: where a note comes from. */
export interface NoteHistory {
  readonly sessionId: string;
  readonly noteId: string;
  /** Oldest first, at most the newest 20. */
  readonly versions: readonly NoteEvent[];
  readonly hasOlder: boolean;
  /** The notes that were merged or split into its first version, as they were at that time. */
  readonly origins: readonly NoteEvent[];
}

/** Notes of continuous sessions, and what people do with them. */

/**
 * `draft`: not decided yet. `unsure`: written with a low confidence, because no person answered a question about it.
 * `accepted`: by a person.
 */
export type NoteStatus = "draft" | "unsure" | "written" | "accepted" | "archived";

/** Events that change a note. All types but the last two contain the whole note. */
export const NOTE_EVENT_TYPES: readonly string[] = [
  "note_written",
  "note_updated",
  "note_merged",
  "note_archived",
  "note_removed",
];

/** A span of the medium, in milliseconds; a point in time has `startMs === endMs`. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Note extends Span {
  readonly noteId: string;
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Ids of the events that the note is made from. */
  readonly evidence: readonly string[];
  readonly status: NoteStatus;
  /** Notes that became this one. */
  readonly lineage: readonly string[];
  /**
   * The video in which its span lies, if that is not the video of the session: the tab of that video joined the
   * session.
   */
  readonly videoId?: string;
  /** SHA-256 over the canonical JSON of the fields above. */
  readonly hash: string;
  /** The author of its present text. The agent never changes a note that a person edited or accepted. */
  readonly by: "agent" | "person";
  /** Sequences of damaged events that this note was made from, or that changed it; left out if there are none. */
  readonly damaged?: readonly number[];
}

/** A note that is related to another one, in the answer of `GET /v1/live/KEY/notes/ID/related`. */
export interface RelatedNote {
  readonly noteId: string;
  /** 0 to 1. */
  readonly score: number;
  /** Ids of the transcripts and frames that both notes are made from, at most 12. */
  readonly shared: readonly string[];
  /** The similarity of the texts from 0 to 1; it is 0 below half of the similarity at which texts count as the same. */
  readonly likeness: number;
}

/** The body of `POST /v1/live/KEY/notes/ID`. `undo` reverts the newest operation of a person on this note. */
export type NoteOperation =
  | {
      readonly operation: "edit";
      readonly text: string;
      /**
       * The hash of the note that was edited: if the note has another hash by then, the edit is refused with
       * `conflict`.
       */
      readonly ifHash?: string;
      readonly startMs?: number;
      readonly endMs?: number;
    }
  | { readonly operation: "accept" }
  | { readonly operation: "remove" }
  | { readonly operation: "merge"; readonly noteIds: readonly string[]; readonly text?: string }
  | { readonly operation: "split"; readonly parts: readonly (Span & { readonly text: string })[] }
  | { readonly operation: "undo" };

/**
 * The answer to a question, in the form that the panel shows: the parts of the video that support it, and the model
 * that answered. Pure.
 */

import type { LiveAnswer } from "@continuo/core/wire";
import { type Citation, citationsOf } from "./panel-view.ts";
import type { SessionView } from "./view.ts";

export interface ShownAnswer extends Pick<LiveAnswer, "text" | "by"> {
  /** Passages of the tab's own video, to which the tab can seek. */
  readonly citations: readonly Citation[];
  /** True if no model is asked, because the session has spent its budget. */
  readonly isSpent: boolean;
}

/** A cited note is shown instead of the evidence of the note. That evidence may belong to an earlier session. */
export function toShownAnswer(
  { text, by, evidence: ids, noteIds }: LiveAnswer,
  { notes, evidence, session, videoId }: Pick<SessionView, "notes" | "evidence" | "session" | "videoId">,
): ShownAnswer {
  const sessionVideo = session?.videoId ?? videoId;
  const isHere = (one: { readonly videoId?: string | null }): boolean =>
    (one.videoId ?? sessionVideo) === videoId;
  const cited = notes.filter((note) => noteIds.includes(note.noteId) && isHere(note));
  const ofNotes = new Set(cited.flatMap((note) => note.evidence));
  const heard = evidence.filter((one) => ids.includes(one.id) && !ofNotes.has(one.id) && isHere(one));
  const places = cited.map((note) => ({ id: note.noteId, mediaTimeMs: note.startMs, text: note.text }));
  return { text, by, citations: citationsOf([...places, ...heard]), isSpent: session?.budget === "spent" };
}

/**
 * The events of notes, made from a model's drafts and the decisions about them. The owner of a session writes them;
 * `replay` makes them again from the recorded decisions. Pure.
 */

import type { NewEvent } from "@continuo/core/model";
import { type Decision, type Draft, LIMITS } from "../kit/index.ts";
import { type NoteContent, noteEvent } from "./note-events.ts";

/** The note after the decision, made from the earlier notes that the decision changes; `null` if it changes none. */
export function contentAfter(
  { action, noteId, unsureBelow = LIMITS.lowConfidence }: Decision,
  draft: Draft,
  bases: readonly NoteContent[],
): NoteContent | null {
  if (noteId === undefined || action === "ask" || action === "keep") return null;
  const { text, confidence, videoId } = draft;
  const parts = [...bases, draft];
  return {
    noteId,
    text,
    startMs: Math.min(...parts.map(({ startMs }) => startMs)),
    endMs: Math.max(...parts.map(({ endMs }) => endMs)),
    confidence,
    evidence: [...new Set(parts.flatMap(({ evidence }) => evidence))].slice(-LIMITS.noteEvidence),
    status: confidence < unsureBelow ? "unsure" : "written",
    lineage: action === "merge" ? bases.map((base) => base.noteId) : (bases[0]?.lineage ?? []),
    ...(videoId === undefined ? {} : { videoId }),
  };
}

/** The events of one decision. Each source of a merge is archived by a separate event. */
export function noteEventsOf(
  decision: Decision,
  {
    draft,
    bases,
    decisionId,
  }: { readonly draft: Draft; readonly bases: readonly NoteContent[]; readonly decisionId: string },
): readonly NewEvent[] {
  const note = contentAfter(decision, draft, bases);
  if (note === null) return [];
  const { action, sources = [], hashes = [] } = decision;
  if (action === "write") return [noteEvent("note_written", note, { decisionId })];
  if (action === "update") {
    return [noteEvent("note_updated", note, { decisionId, previousHash: hashes[0] ?? "" })];
  }
  return [
    noteEvent("note_merged", note, { decisionId, sources, sourceHashes: hashes }),
    ...sources.map((noteId): NewEvent => {
      return { type: "note_archived", data: { noteId, mergedInto: note.noteId, decisionId } };
    }),
  ];
}

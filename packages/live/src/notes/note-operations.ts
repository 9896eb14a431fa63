/** Operations of people on notes, as events. The agent never changes a note that a person edited or accepted. */

import { ContinuoError, type NewEvent } from "@continuo/core/model";
import { isFields, LIMITS, type Note, type NoteOperation } from "../kit/index.ts";
import { type NoteContent, noteEvent } from "./note-events.ts";

const PERSON = { kind: "person" } as const;

/** Errors: `invalid`. */
export function parseNoteOperation(body: unknown): NoteOperation {
  if (!isFields(body)) throw invalid("the body is not an object");
  const { operation, text, startMs, endMs, noteIds, parts, ifHash } = body;
  switch (operation) {
    case "edit":
      if (!isText(text) || !isSpan(startMs ?? 0, endMs ?? startMs ?? 0)) break;
      if (ifHash !== undefined && typeof ifHash !== "string") break;
      return body as unknown as NoteOperation;
    case "accept":
    case "remove":
    case "undo":
      return { operation };
    case "merge": {
      const isList =
        Array.isArray(noteIds) && noteIds.length > 0 && noteIds.length <= LIMITS.notesPerOperation;
      if (!isList || !noteIds.every((one) => typeof one === "string")) break;
      if (text !== undefined && !isText(text)) break;
      return body as unknown as NoteOperation;
    }
    case "split": {
      const isList = Array.isArray(parts) && parts.length > 1 && parts.length <= LIMITS.notesPerOperation;
      if (
        !isList ||
        !parts.every((one) => isFields(one) && isText(one.text) && isSpan(one.startMs, one.endMs))
      )
        break;
      return body as unknown as NoteOperation;
    }
  }
  throw invalid("this is no operation on a note");
}

export interface OperationContext {
  readonly note: Note;
  /** The sequence of the event that has the note in its current form. */
  readonly sequence: number;
  /** The other notes, for a merge. */
  readonly others: readonly Note[];
  readonly newId: () => string;
}

/** The events of every operation except `undo`. Errors: `conflict` for an edit of an earlier version. */
export function eventsOf(
  operation: Exclude<NoteOperation, { readonly operation: "undo" }>,
  { note, sequence, others, newId }: OperationContext,
): readonly NewEvent[] {
  const before = { previousHash: note.hash, previousSequence: sequence, previousBy: note.by };
  switch (operation.operation) {
    case "edit": {
      const { text, startMs = note.startMs, endMs = note.endMs, ifHash } = operation;
      if (ifHash !== undefined && ifHash !== note.hash) throw changed(note);
      const edited = { ...contentOf(note), text, startMs, endMs: Math.max(startMs, endMs) };
      return [byPerson(noteEvent("note_updated", edited, { ...before, operation: "edit" }))];
    }
    case "accept": {
      const accepted = { ...contentOf(note), status: "accepted" } as const;
      return [byPerson(noteEvent("note_updated", accepted, { ...before, operation: "accept" }))];
    }
    case "remove":
      return [byPerson({ type: "note_removed", data: { noteId: note.noteId } })];
    case "merge": {
      const sources = [note, ...others];
      const { videoId } = note;
      // The span is a place in one video.
      const there = sources.filter((one) => one.videoId === videoId);
      const merged: NoteContent = {
        noteId: newId(),
        text: operation.text ?? sources.map(({ text }) => text).join("\n\n"),
        startMs: Math.min(...there.map(({ startMs }) => startMs)),
        endMs: Math.max(...there.map(({ endMs }) => endMs)),
        confidence: Math.min(...sources.map(({ confidence }) => confidence)),
        evidence: [...new Set(sources.flatMap(({ evidence }) => evidence))],
        status: "written",
        lineage: sources.map(({ noteId }) => noteId),
        ...(videoId === undefined ? {} : { videoId }),
      };
      const more = { sources: merged.lineage, operation: "merge" };
      return [
        byPerson(noteEvent("note_merged", merged, more)),
        ...sources.map(({ noteId }) => archived(noteId, { mergedInto: merged.noteId, operation: "merge" })),
      ];
    }
    case "split":
      return [
        ...operation.parts.map(({ text, startMs, endMs }) => {
          const part = { ...contentOf(note), noteId: newId(), text, startMs, endMs, lineage: [note.noteId] };
          return byPerson(noteEvent("note_written", part, { operation: "split" }));
        }),
        archived(note.noteId, { reason: "split", operation: "split" }),
      ];
  }
}

/** Restores the note to its form before the newest edit, acceptance or removal, and to its owner at that time. */
export function undoEvent(previous: Note, before: Note): NewEvent {
  const more = { previousHash: before.hash, operation: "undo", restoredBy: previous.by };
  return byPerson(noteEvent("note_updated", contentOf(previous), more));
}

function changed({ noteId, hash }: Note): ContinuoError {
  return new ContinuoError("conflict", `the note ${noteId} was changed by somebody else`, {
    hint: "Read the note again, and repeat the edit on its present text.",
    details: { noteId, hash },
  });
}

function contentOf({ hash: _hash, by: _by, ...content }: Note): NoteContent {
  return content;
}

function archived(noteId: string, more: object): NewEvent {
  return byPerson({ type: "note_archived", data: { noteId, ...more } });
}

function byPerson(event: NewEvent): NewEvent {
  return { ...event, actor: PERSON };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LIMITS.textChars;
}

function isSpan(startMs: unknown, endMs: unknown): boolean {
  return (
    Number.isSafeInteger(startMs) &&
    Number.isSafeInteger(endMs) &&
    Number(startMs) >= 0 &&
    Number(endMs) >= Number(startMs)
  );
}

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message, { hint: "See docs/live.md for the operations." });
}

/**
 * The fold of a continuous session's log: the notes, the open questions, the state and the checkpoint after each event.
 * The owner of the session and the viewer fold with this function, and each of them keeps its own data in addition:
 * evidence that waits for a decision, or a window of the log. The extension gets the notes in frames, and folds only the
 * requests.
 */

import { numberOr, recordOf, textOr, type WireEvent } from "./channel-events.ts";
import {
  evidenceOf,
  type NoteChange,
  noteChangeOf,
  type PreviousNote,
  type ReadableEvidence,
} from "./live-events.ts";
import { NOTE_EVENT_TYPES } from "./live-notes.ts";
import { type BudgetState, LEVELS, type Level, LIVE_STATES, type LiveState } from "./live-session.ts";

type LiveEvent = Pick<WireEvent, "type" | "actor" | "data" | "sequence" | "occurredAt">;
type Fields = Readonly<Record<string, unknown>>;

/** A question to a person, in the event that asks it. */
export interface LiveQuestion {
  /** Empty in a damaged event. */
  readonly requestId: string;
  readonly draftId: string;
  readonly question: string;
  readonly mediaTimeMs: number;
  readonly expiresAtMs: number;
  readonly sequence: number;
}

/** A question that no decision has ended yet. */
export interface PendingQuestion {
  readonly requestId: string;
  /** The sequence of the input that answers it; `null` while it has no answer. */
  readonly answer: number | null;
}

/** The part of a session that every reader of the log knows after an event. */
export interface LiveView<Note extends PreviousNote, Question extends PendingQuestion> {
  /** Notes by id, in the order of their newest change. */
  readonly notes: Map<string, Note>;
  readonly requests: Map<string, Question>;
  state: LiveState;
  stateSinceMs: number;
  /** The sequence of the event that set the state. */
  stateSequence: number;
  level: Level;
  budget: BudgetState;
  /** The number of times that another server took over. */
  restarts: number;
  checkpoint: { readonly cursor: number; readonly atMs: number } | null;
}

/** An event of a note, with what was known before it. */
export interface NoteMoment<Event, Note> {
  readonly event: Event;
  /** The note before the event; an event that archives a note always has one. */
  readonly before: Note | undefined;
  readonly notes: ReadonlyMap<string, Note>;
}

/** The form in which a reader keeps notes and questions. */
export interface LiveReader<Event, Note, Question> {
  toNote(change: NoteChange, moment: NoteMoment<Event, Note>): Note;
  toRequest(question: LiveQuestion): Question;
}

/** The content of an event for a reader. */
export type LiveChange<Note> =
  | { readonly type: "evidence"; readonly evidence: ReadableEvidence }
  | { readonly type: "note"; readonly change: NoteChange; readonly note: Note }
  | { readonly type: "question"; readonly question: LiveQuestion }
  | {
      readonly type: "state";
      /** The state that began with this event; `null` if the event only repeats a state. */
      readonly entered: LiveState | null;
      readonly data: Fields;
    }
  | { readonly type: "checkpoint"; readonly cursor: number }
  | { readonly type: "lost"; readonly count: number };

/** The view before the first event. @param notes the notes that are already known, by id */
export function newLiveView<Note extends PreviousNote, Question extends PendingQuestion>(
  notes: Map<string, Note> = new Map(),
): LiveView<Note, Question> {
  return {
    notes,
    requests: new Map(),
    state: "created",
    stateSinceMs: 0,
    stateSequence: 0,
    level: "normal",
    budget: "normal",
    restarts: 0,
    checkpoint: null,
  };
}

const COUNTED: ReadonlySet<string> = new Set(["transcript_added", "remark_added", "frame_captured"]);
const SIGNALS: ReadonlySet<string> = new Set(["voice_activity", "playback_changed"]);

/** True for evidence that has content, and for an action of a person on a note. */
export function isCountedInput({ type, actor }: Pick<LiveEvent, "type" | "actor">): boolean {
  return COUNTED.has(type) || (NOTE_EVENT_TYPES.includes(type) && actor.kind === "person");
}

/**
 * True for evidence other than telemetry and lists of captions, and for an action of a person on a note. Such an event
 * makes a session active, and waits for the note writer.
 */
export function isInput(event: Pick<LiveEvent, "type" | "actor">): boolean {
  return isCountedInput(event) || isSignal(event.type);
}

/** A signal says how to read other evidence: no note is written about the signal itself. */
export function isSignal(type: string): boolean {
  return SIGNALS.has(type);
}

/**
 * Adds the next event of the log to the view. Returns what the event says to a reader, and `null` for an event that
 * changes nothing here, such as one of an unknown type.
 */
export function foldLive<
  Event extends LiveEvent,
  Note extends PreviousNote,
  Question extends PendingQuestion,
>(
  view: LiveView<Note, Question>,
  event: Event,
  reader: LiveReader<Event, Note, Question>,
): LiveChange<Note> | null {
  const question = foldRequests(view.requests, event, reader);
  if (question !== null) return { type: "question", question };
  const data = recordOf(event.data);
  switch (event.type) {
    case "session_state_changed":
      return addState(view, data, event);
    case "checkpoint_written": {
      const cursor = numberOr(data.cursor, event.sequence - 1);
      view.checkpoint = { cursor, atMs: Date.parse(event.occurredAt) };
      return { type: "checkpoint", cursor };
    }
    case "evidence_dropped":
      return { type: "lost", count: numberOr(data.count, 1) };
    default: {
      const evidence = evidenceOf(event);
      return evidence === null ? foldNote(view.notes, event, reader) : { type: "evidence", evidence };
    }
  }
}

/** Changes the note that the event is about; returns `null` for any other event. */
export function foldNote<Event extends LiveEvent, Note extends PreviousNote>(
  notes: Map<string, Note>,
  event: Event,
  { toNote }: Pick<LiveReader<Event, Note, unknown>, "toNote">,
): LiveChange<Note> | null {
  const change = noteChangeOf(event, (noteId) => notes.get(noteId));
  if (change === null) return null;
  const note = toNote(change, { event, before: notes.get(change.noteId), notes });
  // An archived note keeps its place.
  if (change.verb !== "archived") notes.delete(change.noteId);
  notes.set(change.noteId, note);
  return { type: "note", change, note };
}

/**
 * Adds the question that the event asks, and returns it; other events answer questions or end them. A decision ends the
 * questions that it names, and those whose answer it decides on.
 */
export function foldRequests<Question extends PendingQuestion>(
  requests: Map<string, Question>,
  event: LiveEvent,
  { toRequest }: Pick<LiveReader<never, never, Question>, "toRequest">,
): LiveQuestion | null {
  const { type, sequence } = event;
  const data = recordOf(event.data);
  const requestId = textOr(data.requestId, "");
  if (type === "context_requested") {
    const question: LiveQuestion = {
      requestId,
      draftId: textOr(data.draftId, ""),
      question: textOr(data.question, ""),
      mediaTimeMs: numberOr(data.mediaTimeMs, 0),
      expiresAtMs: Date.parse(textOr(data.expiresAt, event.occurredAt)),
      sequence,
    };
    if (requestId !== "") requests.set(requestId, toRequest(question));
    return question;
  }
  const request = requests.get(requestId);
  if (request !== undefined && isInput(event)) requests.set(requestId, { ...request, answer: sequence });
  if (type !== "decision_made") return null;
  const decided = new Set<unknown>([data.sequences, data.requests].flat());
  for (const { requestId, answer } of requests.values()) {
    if (decided.has(requestId) || (answer !== null && decided.has(answer))) requests.delete(requestId);
  }
  return null;
}

function addState(
  view: Omit<LiveView<PreviousNote, PendingQuestion>, "notes" | "requests">,
  data: Fields,
  { sequence, occurredAt }: LiveEvent,
): LiveChange<never> {
  const { state, from, level, budget } = data;
  // If `state` and `from` are equal, the event does not change the state and only says which state its writer saw; a
  // change that was stored in the meantime stays.
  const entered = isAmong(LIVE_STATES, state) && state !== from && state !== view.state ? state : null;
  if (entered !== null) {
    view.state = entered;
    view.stateSinceMs = Date.parse(occurredAt);
    view.stateSequence = sequence;
  }
  if (isAmong(LEVELS, level)) view.level = level;
  if (isAmong(BUDGETS, budget)) view.budget = budget;
  if (data.restart === true) view.restarts++;
  return { type: "state", entered, data };
}

const BUDGETS = ["normal", "warning", "spent"] as const satisfies readonly BudgetState[];

function isAmong<T>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}

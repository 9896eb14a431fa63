/** Remarks about failures, which the model sees. */

import type { EVENT_TYPES, EventType, Message, ToolStatus } from "../../model/index.ts";
import {
  anyField,
  type EventEntry,
  type Fields,
  isFields,
  numberField,
  textField,
  wordsOf,
} from "../events/index.ts";
import { closeApprovals } from "./approvals.ts";
import { eventId, placeOf, setState, type TranscriptDraft } from "./draft.ts";
import { markReplaced, markUnanswered } from "./inputs.ts";
import { closeCalls } from "./tools.ts";

/** The types that are notes in the table. */
export type NoteType = {
  [Type in EventType]: (typeof EVENT_TYPES)[Type]["transcript"] extends "note" ? Type : never;
}[EventType];

/** One sentence or two, from the payload. */
const SENTENCES: Readonly<Record<NoteType, (payload: Fields) => string>> = {
  budget_exceeded: (payload) => {
    const [value, allowed] = [numberField(payload, "value"), numberField(payload, "allowed")];
    const numbers = value === undefined || allowed === undefined ? "" : ` (${value} of ${allowed})`;
    return `The budget of the run was used up: ${textField(payload, "limit") ?? "unknown limit"}${numbers}.`;
  },
  run_failed: (payload) => because("The run failed", wordsOf(anyField(payload, "error"))),
  run_cancelled: (payload) => because("The run was cancelled", textField(payload, "reason")),
  run_timed_out: (payload) => {
    const timeoutMs = numberField(payload, "timeoutMs");
    return `The run took longer than it was allowed to${timeoutMs === undefined ? "" : ` (${timeoutMs} ms)`}.`;
  },
  run_interrupted: (payload) =>
    because("The run was interrupted before it ended", textField(payload, "reason")),
  error_raised: (payload) => because("An error occurred", textField(payload, "message")),
};

function because(what: string, why: string | undefined): string {
  return why === undefined || why === "" ? `${what}.` : `${what}: ${why}`;
}

export function addNote(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const message: Message = {
    id: eventId(draft, entry),
    role: "user",
    content: [{ type: "text", text: `[${SENTENCES[entry.type as NoteType](payload)}]` }],
    ...(entry.time === undefined ? {} : { timestamp: entry.time }),
    // No person said it.
    origin: "injected",
    metadata: { ...placeOf(entry), note: entry.type },
  };
  draft.messages.push(message);
}

/** No model received such a turn, so no model needs to learn of it. */
function isRefusal(payload: Fields): boolean {
  const error = anyField(payload, "error");
  return isFields(error) && error.code === "native_unavailable";
}

/** Ends a run: closes its open calls and requests, and adds the reason unless it completed. */
export function runEnded(
  status: string,
  calls: ToolStatus,
): (draft: TranscriptDraft, entry: EventEntry, payload: Fields) => void {
  return (draft, entry, payload) => {
    const runId = textField(payload, "runId") ?? entry.runId;
    closeCalls(draft, entry, { runId, status: calls });
    closeApprovals(draft);
    setState(draft, "lastRun", { ...(runId === undefined ? {} : { runId }), status });
    if (status !== "completed" && isRefusal(payload)) return;
    if (status !== "completed") {
      markUnanswered(draft, runId, status);
      addNote(draft, entry, payload);
    }
    markReplaced(draft, runId, status);
  };
}

/** The input of each run: the message that the run received, marked if nobody answered it. */

import type { Message } from "../../model/index.ts";
import { anyField, type EventEntry, type Fields, isFields, textField } from "../events/index.ts";
import { hasText } from "./content.ts";
import { leaveOut, runOf, type TranscriptDraft } from "./draft.ts";
import { isInput } from "./lookup.ts";

/** The first message to an agent that names a run is its input; later ones were sent while it worked. */
export function noteInput(draft: TranscriptDraft, position: number, message: Message): void {
  const runId = runOf(message);
  if (runId === undefined || !isInput(message)) return;
  if (draft.lookup.find("input", runId) === undefined) draft.lookup.set("input", runId, position);
}

/** A run with the input of an earlier run may still answer it. */
export function runCreated(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  leaveOut(draft, "untold");
  const [runId, own] = [textField(payload, "runId"), anyField(payload, "metadata")];
  const saidBy = isFields(own) ? textField(own, "saidBy") : undefined;
  if (runId === undefined || saidBy === undefined) return;
  const position = draft.lookup.find("input", saidBy);
  const input = draft.messages.at(position);
  if (position === undefined || input === undefined) return;
  markAttempts(draft, position, runId);
  draft.lookup.set("input", runId, position);
  const { unanswered: _, ...metadata } = input.metadata;
  draft.messages.replace(position, { ...input, metadata: { ...metadata, retriedBy: runId } });
}

/** Marks the input of a run that ended without success before its agent said anything. */
export function markUnanswered(draft: TranscriptDraft, runId: string | undefined, status: string): void {
  const position = runId === undefined ? undefined : draft.lookup.find("input", runId);
  const input = draft.messages.at(position);
  if (position === undefined || input === undefined) return;
  for (let at = position + 1; at < draft.messages.length; at++) {
    const message = draft.messages.at(at);
    if (message?.role === "assistant" && runOf(message) === runId) return;
  }
  draft.messages.replace(position, { ...input, metadata: { ...input.metadata, unanswered: status } });
}

/** The messages of earlier attempts at an input name the newest attempt, as the input does. */
function markAttempts(draft: TranscriptDraft, input: number, runId: string): void {
  for (let at = input + 1; at < draft.messages.length; at++) {
    const message = draft.messages.at(at);
    if (message === undefined || isInput(message)) continue;
    const by = message.metadata.retriedBy ?? runOf(message);
    if (typeof by !== "string" || draft.lookup.find("input", by) !== input) continue;
    draft.messages.replace(at, { ...message, metadata: { ...message.metadata, retriedBy: runId } });
  }
}

/**
 * Marks the words in which earlier attempts were cut off, and the notes of their ends, when a later attempt has ended.
 * The results of their tools, and the words up to the last call, are part of the answer and stay. If the later attempt
 * said nothing, the words before stay too, and after an attempt that was completed, the notes as well.
 */
export function markReplaced(draft: TranscriptDraft, runId: string | undefined, status: string): void {
  const input = runId === undefined ? undefined : draft.lookup.find("input", runId);
  if (input === undefined || draft.messages.at(input)?.metadata.retriedBy !== runId) return;
  const attempts: number[] = [];
  const calls = new Map<string | undefined, number>();
  let isAnswered = false;
  for (let at = input + 1; at < draft.messages.length; at++) {
    const message = draft.messages.at(at);
    if (message === undefined) continue;
    if (message.metadata.retriedBy === runId) attempts.push(at);
    else if (message.role === "assistant" && runOf(message) === runId)
      isAnswered ||= hasText(message.content);
    if (message.content.some(({ type }) => type === "tool_call")) calls.set(runOf(message), at);
  }
  if (!isAnswered && status === "completed") return;
  for (const at of attempts) {
    const message = draft.messages.at(at);
    if (message === undefined || message.role === "tool" || message.metadata.replacedBy !== undefined)
      continue;
    const isWork = message.role === "assistant" && at <= (calls.get(runOf(message)) ?? -1);
    if (isWork || (!isAnswered && message.role === "assistant")) continue;
    draft.messages.replace(at, { ...message, metadata: { ...message.metadata, replacedBy: runId } });
  }
}

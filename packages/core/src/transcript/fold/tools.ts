/** Tool calls and their results. Each call has one result; a later one replaces an earlier one. */

import type { Block, Message, ToolCallBlock, ToolResultBlock, ToolStatus } from "../../model/index.ts";
import { textOf } from "../../model/index.ts";
import { anyField, type EventEntry, type Fields, textField } from "../events/index.ts";
import { inputOf, toCall, toFailure, toResult } from "./content.ts";
import {
  eventId,
  findCall,
  findMessage,
  freeId,
  leaveOut,
  placeOf,
  runOf,
  type TranscriptDraft,
  withEvents,
} from "./draft.ts";

export function toolCallStarted(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const id = textField(payload, "toolCallId");
  if (id === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  const call = toCall(id, textField(payload, "toolName") ?? "unknown", anyField(payload, "toolInput"));
  if (draft.open.has(id)) {
    completeCall(draft, entry, call);
    return;
  }
  const named = textField(payload, "messageId");
  const target = targetOf(draft, entry, named) ?? -1;
  // If an id is used again, the newest call with it must be in the last message that has the id.
  const isLast = target >= (draft.lookup.find("call", id) ?? 0);
  const position = isLast ? target : beginMessage(draft, entry, named);
  const message = draft.messages.at(position);
  if (message === undefined) return;
  const isNew = message.content.length === 0 && message.metadata.sequence === entry.sequence;
  draft.messages.replace(position, {
    ...message,
    content: [...message.content, call],
    metadata: isNew ? message.metadata : withEvents(message.metadata, entry),
  });
  registerCalls(draft, entry, { position, blocks: [call] });
}

/** The message that the call belongs to: the named one, otherwise the agent's last message if nothing came after it. */
function targetOf(draft: TranscriptDraft, entry: EventEntry, named: string | undefined): number | undefined {
  if (named !== undefined) {
    const position = findMessage(draft, named, entry.runId);
    return position !== undefined && draft.messages.at(position)?.role === "assistant" ? position : undefined;
  }
  const last = draft.messages.at(draft.messages.length - 1);
  return last?.role === "assistant" && runOf(last) === entry.runId ? draft.messages.length - 1 : undefined;
}

function beginMessage(draft: TranscriptDraft, entry: EventEntry, named: string | undefined): number {
  const place = placeOf(entry);
  const position = draft.messages.push({
    id: freeId(draft, entry, named),
    role: "assistant",
    content: [],
    ...(entry.time === undefined ? {} : { timestamp: entry.time }),
    origin: "agent",
    // The text of the message may follow in parts.
    metadata: named === undefined ? place : { ...place, messageId: named, partial: true },
  });
  if (named !== undefined) draft.lookup.set("message", named, position);
  return position;
}

/** Completes a call that is reported again, because its arguments are known now. */
function completeCall(draft: TranscriptDraft, entry: EventEntry, call: ToolCallBlock): void {
  const position = draft.lookup.find("call", call.id);
  const message = draft.messages.at(position);
  const known = findCall(message, call.id);
  if (position === undefined || message === undefined || known === undefined) return;
  const hasArgs = Object.keys(call.args).length > 0 || call.rawArgs !== undefined;
  const content = message.content.map((block) =>
    block === known && hasArgs ? { ...known, ...call } : block,
  );
  draft.messages.replace(position, { ...message, content, metadata: withEvents(message.metadata, entry) });
}

/** Remembers the positions of calls, and gives them results that came before them. */
export function registerCalls(
  draft: TranscriptDraft,
  entry: EventEntry,
  { position, blocks }: { readonly position: number; readonly blocks: readonly Block[] },
): void {
  for (const block of blocks) {
    if (block.type !== "tool_call") continue;
    draft.lookup.set("call", block.id, position);
    draft.open.set(block.id, entry.runId ?? null);
    const waiting = draft.waiting.get(block.id);
    if (waiting === undefined || isOfAnotherRun(waiting, entry)) continue;
    draft.waiting.delete(block.id);
    pushResult(draft, waiting, block);
  }
}

/** Agents use the same ids in several runs, so the result of a call belongs only to its own run. */
function isOfAnotherRun(message: Message, { runId }: EventEntry): boolean {
  const other = runOf(message);
  return other !== undefined && runId !== undefined && other !== runId;
}

export function toolCallCompleted(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const id = textField(payload, "toolCallId");
  if (id === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  addResult(draft, entry, {
    result: toResult(id, anyField(payload, "toolOutput")),
    id: eventId(draft, entry),
  });
}

export function toolCallFailed(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  const id = textField(payload, "toolCallId");
  if (id === undefined) {
    leaveOut(draft, "invalid");
    return;
  }
  const result = toFailure(id, anyField(payload, "error"), textField(payload, "status"));
  addResult(draft, entry, { result, id: eventId(draft, entry) });
}

interface NewResult {
  readonly result: ToolResultBlock;
  /** The id of the new message. */
  readonly id: string;
}

export function addResult(draft: TranscriptDraft, entry: EventEntry, { result, id }: NewResult): void {
  const message: Message = {
    id,
    role: "tool",
    content: [result],
    ...(entry.time === undefined ? {} : { timestamp: entry.time }),
    toolCallId: result.toolCallId,
    metadata: placeOf(entry),
  };
  const position = draft.lookup.find("call", result.toolCallId);
  const call = findCall(draft.messages.at(position), result.toolCallId);
  if (call === undefined) keepWaiting(draft, message, result.toolCallId);
  else if (draft.open.has(result.toolCallId)) pushResult(draft, message, call);
  else replaceResult(draft, message, call);
}

/** Keeps a result until its call arrives. A later result for the call replaces an earlier one. */
function keepWaiting(draft: TranscriptDraft, message: Message, toolCallId: string): void {
  const events = draft.waiting.get(toolCallId)?.metadata.events;
  const metadata =
    typeof events === "number"
      ? withEvents(message.metadata, { events, sequence: undefined })
      : message.metadata;
  draft.waiting.set(toolCallId, { ...message, metadata });
}

function pushResult(draft: TranscriptDraft, message: Message, call: ToolCallBlock): void {
  draft.open.delete(call.id);
  draft.messages.push(filled(message, call));
}

function replaceResult(draft: TranscriptDraft, message: Message, call: ToolCallBlock): void {
  const position = findResult(draft, call.id);
  const old = draft.messages.at(position);
  if (position === undefined || old === undefined) return;
  const { sequence, lastSequence, events } = old.metadata;
  const count = typeof events === "number" ? events : 0;
  const metadata = {
    ...message.metadata,
    ...(sequence === undefined
      ? {}
      : { sequence, lastSequence: message.metadata.lastSequence ?? lastSequence }),
    events: count + 1,
  };
  draft.messages.replace(position, { ...filled(message, call), id: old.id, metadata });
}

/** Results follow soon after their calls, so earlier results are searched only if a call has a second one. */
function findResult(draft: TranscriptDraft, toolCallId: string): number | undefined {
  const { messages } = draft;
  for (let at = draft.lookup.find("call", toolCallId) ?? messages.length; at < messages.length; at++) {
    if (messages.at(at)?.toolCallId === toolCallId) return at;
  }
  return undefined;
}

/** Returns the tool message with the fields of its call and its result. */
function filled(message: Message, call: ToolCallBlock): Message {
  const [result] = message.content;
  const toolOutput = result?.type === "tool_result" ? textOf(result.content) : "";
  return { ...message, toolName: call.name, toolInput: inputOf(call), toolOutput };
}

/** Adds a failed result to each open call of a run that ended, because no other result can come. */
export function closeCalls(
  draft: TranscriptDraft,
  entry: EventEntry,
  { runId, status }: { readonly runId: string | undefined; readonly status: ToolStatus },
): void {
  for (const [toolCallId, callRun] of draft.open) {
    if (runId !== undefined && callRun !== null && callRun !== runId) continue;
    const call = findCall(draft.messages.at(draft.lookup.find("call", toolCallId)), toolCallId);
    if (call === undefined) continue;
    const message: Message = {
      id: `${eventId(draft, entry)}:${toolCallId}`,
      role: "tool",
      content: [toFailure(toolCallId, undefined, status)],
      ...(entry.time === undefined ? {} : { timestamp: entry.time }),
      toolCallId,
      // The result has no event of its own: it follows from the end of the run.
      metadata: { ...placeOf(entry), events: 0, closedBy: entry.type },
    };
    pushResult(draft, message, call);
  }
}

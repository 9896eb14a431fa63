/** Adds results to calls that lost theirs, and calls to results that lost theirs. */

import { isJson, type Json, textOfValue } from "@continuo/files";
import {
  addBefore,
  addBehind,
  change,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
} from "../repairing/index.ts";
import { createResultNamer } from "./name-results.ts";
import { type CallRecord, callsIn, kindOf, listIn, partsOf, resultsIn } from "./records.ts";

/** The messages of a record, whether it is one or carries a list. */
function messagesIn({ value }: RecordLine): readonly Json[] {
  const kind = kindOf(value);
  return kind === "message" ? [value] : (listIn(value, kind) ?? []).filter(isJson);
}

function changeMessages(line: RecordLine, mend: (message: Json) => Json, reason: string): void {
  if (kindOf(line.value) === "message") change(line, mend(line.value), reason);
  else change(line, withList(line.value, messagesIn(line).map(mend)), reason);
}

interface CallLine {
  readonly line: RecordLine;
  readonly message: Json;
  readonly call: CallRecord | null;
}

export function pairCalls(draft: RepairDraft, { makers }: RepairContext): void {
  nameResults(draft);
  const called = new Map<string, CallLine>();
  const answered = new Set<string>();
  for (const line of remainingLines(draft)) {
    for (const message of messagesIn(line)) {
      for (const call of callsIn(message)) called.set(call.id, { line, message, call });
      for (const { callId } of resultsIn(message)) answered.add(callId);
    }
  }
  addLostCalls(draft, called, makers.uuid4);
  closeCalls(draft, { called, answered, newId: makers.uuid4 });
}

function nameResults(draft: RepairDraft): void {
  const namer = createResultNamer();
  for (const line of remainingLines(draft)) {
    const named = new Map(messagesIn(line).map((message) => [message, namer.name(message)]));
    if ([...named].every(([message, other]) => message === other)) continue;
    changeMessages(line, (message) => named.get(message) ?? message, "a result does not name its call");
  }
}

interface RepairCallsContext {
  readonly called: ReadonlyMap<string, CallLine>;
  readonly answered: ReadonlySet<string>;
  readonly newId: () => string;
}

function closeCalls(draft: RepairDraft, { called, answered, newId }: RepairCallsContext): void {
  /** The keys are records, then messages: the calls of `toolCalls` that have no result. */
  const open = new Map<RecordLine, Map<unknown, Map<unknown, CallResult>>>();
  for (const [id, { line, message, call }] of called) {
    if (answered.has(id)) continue;
    const response = { error: "[Operation Cancelled] No result of this call was recorded." };
    const result = [{ functionResponse: { id, name: call?.name ?? "", response } }];
    if (call?.part !== null) {
      const { timestamp } = message;
      const record = { id: newId(), ...(timestamp === undefined ? {} : { timestamp }), type: "user" };
      addBehind(draft, line, { ...record, content: result }, noResult(id));
      continue;
    }
    const messages = open.get(line) ?? new Map<unknown, Map<unknown, CallResult>>();
    const calls = messages.get(message.id) ?? new Map<unknown, CallResult>();
    open.set(line, messages.set(message.id, calls.set(id, { id, result })));
  }
  for (const [line, messages] of open) {
    const reasons = [...messages.values()].flatMap((calls) => [...calls.keys()].map(noResult));
    changeMessages(line, (each) => withResults(each, messages.get(each.id)), reasons.join("; "));
  }
}

function noResult(id: unknown): string {
  return `the call ${textOfValue(id)} has no result`;
}

interface CallResult {
  readonly id: string;
  readonly result: readonly Json[];
}

function withResults(message: Json, results: ReadonlyMap<unknown, CallResult> | undefined): Json {
  if (results === undefined || !Array.isArray(message.toolCalls)) return message;
  const toolCalls = message.toolCalls.map((call: unknown) => {
    const closed = isJson(call) ? results.get(call.id) : undefined;
    return closed === undefined ? call : { ...(call as Json), result: closed.result, status: "cancelled" };
  });
  return { ...message, toolCalls };
}

/**
 * Adds each lost call to the answer whose calls the other results of the message belong to, or else in a new answer
 * before the message: a model accepts results only directly after their calls. The input of the call is lost. A message
 * can be in the file several times, on a line and in lists.
 */
function addLostCalls(draft: RepairDraft, called: Map<string, CallLine>, newId: () => string): void {
  const { before, beside } = planLostCalls(draft, called, newId);
  if (before.size + beside.size === 0) return;
  const mended = (message: Json): Json => {
    const calls = beside.get(message.id);
    return calls === undefined ? message : { ...message, content: [...asParts(message.content), ...calls] };
  };
  for (const line of remainingLines(draft)) {
    const messages = messagesIn(line);
    if (messages.some(({ id }) => beside.has(id))) changeMessages(line, mended, LOST_CALL);
    const preceded = messages.flatMap(({ id }) => before.get(id) ?? []);
    if (preceded.length === 0) continue;
    if (kindOf(line.value) === "message") for (const call of preceded) addBefore(line, call, LOST_CALL);
    else {
      const list = messagesIn(line).flatMap((each) => [...(before.get(each.id) ?? []), each]);
      change(line, withList(line.value, list), LOST_CALL);
    }
  }
}

const LOST_CALL = "the call of a result is lost";

interface LostCalls {
  /** The keys are ids of the messages that hold the results. */
  readonly before: ReadonlyMap<unknown, readonly Json[]>;
  /** The keys are ids of answers with other calls: parts to add to each. */
  readonly beside: ReadonlyMap<unknown, readonly Json[]>;
}

function planLostCalls(draft: RepairDraft, called: Map<string, CallLine>, newId: () => string): LostCalls {
  const before = new Map<unknown, Json[]>();
  const beside = new Map<unknown, Json[]>();
  for (const line of remainingLines(draft)) {
    for (const message of messagesIn(line)) {
      const results = message.type === "user" ? resultsIn(message) : [];
      const answer = results
        .map(({ callId }) => called.get(callId)?.message)
        .find((each) => each !== undefined);
      const lost = results.filter(({ callId }) => !called.has(callId));
      if (lost.length === 0) continue;
      for (const { callId } of lost) called.set(callId, { line, message, call: null });
      const parts = lost.map(({ callId, name }) => ({
        functionCall: { ...(callId === "" ? {} : { id: callId }), name: name ?? "", args: {} },
      }));
      if (answer?.type === "gemini" && callsIn(answer).some(({ part }) => part !== null)) {
        beside.set(answer.id, [...(beside.get(answer.id) ?? []), ...parts]);
      } else {
        const { timestamp } = message;
        const head = { id: newId(), ...(timestamp === undefined ? {} : { timestamp }), type: "gemini" };
        before.set(message.id, [{ ...head, content: parts }]);
      }
    }
  }
  return { before, beside };
}

function asParts(content: unknown): Json[] {
  return partsOf(content).flatMap((part) =>
    typeof part === "string" ? [{ text: part }] : isJson(part) ? [part] : [],
  );
}

export function withList(value: Json, messages: readonly Json[]): Json {
  return isJson(value.$set) ? { ...value, $set: { ...value.$set, messages } } : { ...value, messages };
}

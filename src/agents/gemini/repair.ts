/** Repairs a session of Gemini CLI (0.61.0): what it does not see, what empties its list, calls and their results. */

import { ContinuoError } from "../../model/index.ts";
import { isJson, type Json } from "../reader/index.ts";
import {
  addBehind,
  change,
  type Draft,
  type NativeRepairer,
  present,
  type RecordLine,
  type RepairContext,
  remove,
  rewrite,
} from "../repairing/index.ts";
import { hashOf } from "./places.ts";
import { callsIn, kindOf, listIn, partsOf, resultsIn } from "./records.ts";
import { startsAsWhole } from "./source.ts";

export const geminiRepairer: NativeRepairer = {
  agent: "gemini",
  refuse(path) {
    if (!startsAsWhole(path)) return;
    throw new ContinuoError("unsupported", `${path} is one object, as older versions wrote it`, {
      hint: "Gemini CLI writes it anew, as lines, when it resumes the session.",
    });
  },
  mend(draft, context) {
    mendHeader(draft, context);
    const head = present(draft).find(({ value }) => kindOf(value) === "metadata");
    const sessionId = String(head?.value.sessionId ?? context.sessionId);
    for (const line of present(draft)) mendLine(line, { ...context, sessionId });
    dropLostRewinds(draft);
    pairCalls(draft, context);
    for (const line of present(draft)) {
      if (/[\u2028\u2029]/u.test(line.before ?? "") && line.after === line.before) {
        rewrite(line, "Gemini CLI splits the line at a separator in it");
      }
    }
  },
};

/** Gemini CLI resumes by a whole UUID; of a file without one its name tells the beginning. */
function wholeId({ sessionId, makers }: RepairContext): string {
  return /^[0-9a-f]{8}$/iu.test(sessionId) ? `${sessionId}${makers.uuid().slice(8)}` : sessionId;
}

function mendHeader(draft: Draft, context: RepairContext): void {
  const { cwd } = context;
  const lines = present(draft);
  const [first] = lines;
  if (first === undefined) return;
  const projectHash = hashOf(cwd ?? "");
  for (const line of lines) {
    const { value } = line;
    const isHead = typeof value.sessionId === "string" && value.id === undefined && value.$set === undefined;
    if (isHead && !value.projectHash) change(line, { ...value, projectHash }, "it does not name the project");
  }
  if (lines.some(({ value }) => kindOf(value) === "metadata")) return;
  const time = lines.find(({ value }) => typeof value.timestamp === "string")?.value.timestamp;
  const startTime = time ?? new Date(0).toISOString();
  const head = { sessionId: wholeId(context), projectHash, startTime, lastUpdated: startTime, kind: "main" };
  addBehind(draft, null, head, "no record names the session");
}

function mendLine(line: RecordLine, { sessionId, makers }: RepairContext): void {
  const kind = kindOf(line.value);
  const own = kind === "set" ? line.value.$set : line.value;
  const isNaming = kind === "set" || kind === "metadata";
  if (isNaming && isJson(own) && typeof own.sessionId === "string" && own.sessionId !== sessionId) {
    const mended = { ...own, sessionId };
    change(line, kind === "set" ? { ...line.value, $set: mended } : mended, "it names another session");
  }
  if (kind === "unknown" && typeof line.value.type === "string" && line.value.content !== undefined) {
    change(line, withId(line.value, makers.uuid()), "the message has no id");
  }
  if (kindOf(line.value) === "message") {
    const flaw = flawOf(line.value);
    if (flaw !== null) remove(line, flaw);
    return;
  }
  const list = listIn(line.value, kindOf(line.value));
  if (list === null) return;
  const mended = list.flatMap((item) => mendListed(item, makers.uuid));
  if (mended.length !== list.length || mended.some((item, at) => item !== list[at])) {
    change(line, withList(line.value, mended), "messages of its list lack an id, or what their kind needs");
  }
}

function mendListed(item: unknown, newId: () => string): Json[] {
  if (!isJson(item) || flawOf(item) !== null) return [];
  return [typeof item.id === "string" ? item : withId(item, newId())];
}

/** What stood there and is no text is no id. */
function withId({ id: _, ...message }: Json, id: string): Json {
  return { id, ...message };
}

function withList(value: Json, messages: readonly Json[]): Json {
  return isJson(value.$set) ? { ...value, $set: { ...value.$set, messages } } : { ...value, messages };
}

function flawOf(message: Json): string | null {
  if (typeof message.type !== "string") return "the message has no type";
  const isSaid = message.type === "user" || message.type === "gemini";
  return isSaid && message.content === undefined && message.toolCalls === undefined
    ? "the message has no content"
    : null;
}

/** A rewind to what is not there empties the list. */
function dropLostRewinds(draft: Draft): void {
  let ids: string[] = [];
  for (const line of present(draft)) {
    const kind = kindOf(line.value);
    const list = listIn(line.value, kind);
    if (list !== null) ids = list.flatMap((item) => (isJson(item) ? [String(item.id)] : []));
    if (kind === "message" && !ids.includes(String(line.value.id))) ids.push(String(line.value.id));
    if (kind !== "rewind") continue;
    const at = ids.indexOf(String(line.value.$rewindTo));
    if (at === -1) remove(line, "it rewinds to a message that is not there, which empties the session");
    else ids = ids.slice(0, at);
  }
}

/** The messages of a record, whether it is one or carries a list. */
function messagesIn({ value }: RecordLine): readonly Json[] {
  const kind = kindOf(value);
  return kind === "message" ? [value] : (listIn(value, kind) ?? []).filter(isJson);
}

function changeMessages(line: RecordLine, mend: (message: Json) => Json, reason: string): void {
  if (kindOf(line.value) === "message") change(line, mend(line.value), reason);
  else change(line, withList(line.value, messagesIn(line).map(mend)), reason);
}

function pairCalls(draft: Draft, { makers }: RepairContext): void {
  const called = new Map<string, { readonly line: RecordLine; readonly message: Json }>();
  const answered = new Set<string>();
  for (const line of present(draft)) {
    for (const message of messagesIn(line)) {
      for (const { id } of callsIn(message)) called.set(id, { line, message });
      for (const { callId } of resultsIn(message)) answered.add(callId);
    }
  }
  for (const line of present(draft)) dropLostResults(line, called);
  for (const [id, { line, message }] of called) {
    if (answered.has(id)) continue;
    const call = callsIn(message).find((each) => each.id === id);
    const reason = `the call ${id} has no result`;
    const response = { error: "[Operation Cancelled] No result of this call was recorded." };
    const result = [{ functionResponse: { id, name: call?.name ?? "", response } }];
    if (call?.part !== null) {
      const { timestamp } = message;
      const record = { id: makers.uuid(), ...(timestamp === undefined ? {} : { timestamp }), type: "user" };
      addBehind(draft, line, { ...record, content: result }, reason);
      continue;
    }
    changeMessages(line, (each) => withResult(each, message.id, { id, result }), reason);
  }
}

interface CallResult {
  readonly id: string;
  readonly result: readonly Json[];
}

function withResult(message: Json, messageId: unknown, { id, result }: CallResult): Json {
  if (message.id !== messageId || !Array.isArray(message.toolCalls)) return message;
  const toolCalls = message.toolCalls.map((call: unknown) =>
    isJson(call) && call.id === id ? { ...call, result, status: "cancelled" } : call,
  );
  return { ...message, toolCalls };
}

function dropLostResults(line: RecordLine, called: ReadonlyMap<string, unknown>): void {
  const lost = messagesIn(line).flatMap((message) =>
    message.type === "user" ? resultsIn(message).filter(({ callId }) => !called.has(callId)) : [],
  );
  if (lost.length === 0) return;
  const reason = `no call has the id ${lost.map(({ callId }) => callId).join(", ")}`;
  const parts = new Set(lost.flatMap((result) => result.parts));
  const without = (message: Json): Json => ({
    ...message,
    content: partsOf(message.content).filter((part) => !parts.has(part)),
  });
  const isMessage = kindOf(line.value) === "message";
  if (isMessage && partsOf(without(line.value).content).length === 0) remove(line, reason);
  else changeMessages(line, (each) => (each.type === "user" ? without(each) : each), reason);
}

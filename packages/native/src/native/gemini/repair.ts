/**
 * Repairs a session of Gemini CLI (0.61.0): records that it does not see, records that empty its list, and calls and
 * their results.
 */

import { ContinuoError } from "@continuo/core/model";
import { isJson, type Json, textOfValue } from "@continuo/files";
import {
  addBehind,
  change,
  type NativeRepairer,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
  remove,
  rewrite,
} from "../repairing/index.ts";
import { mendHeaderFields, mendMessageFields } from "./mend-fields.ts";
import { hashOf } from "./places.ts";
import { isResumable, kindOf, listIn, partsOf } from "./records.ts";
import { pairCalls, withList } from "./repair-calls.ts";
import { startsAsWhole } from "./source.ts";

export const geminiRepairer: NativeRepairer = {
  agent: "gemini",
  refuse(path) {
    if (!startsAsWhole(path)) return;
    throw new ContinuoError(
      "unsupported",
      `cannot change ${path}: it has the old format of one JSON object`,
      {
        hint: "Resume the session in Gemini CLI, which converts it to lines.",
      },
    );
  },
  mend(draft, context) {
    mendHeader(draft, context);
    const head = remainingLines(draft).find(({ value }) => kindOf(value) === "metadata");
    const sessionId = textOfValue(head?.value.sessionId ?? context.sessionId);
    let time: unknown = head?.value.startTime;
    for (const line of remainingLines(draft)) {
      mendLine(line, { ...context, sessionId, time });
      if (typeof line.value.timestamp === "string") time = line.value.timestamp;
    }
    dropRepeatedLists(draft);
    dropEmptyLists(draft);
    dropLostRewinds(draft);
    pairCalls(draft, context);
    for (const line of remainingLines(draft)) {
      if (/[\u2028\u2029]/u.test(line.before ?? "") && line.after === line.before) {
        rewrite(line, "Gemini CLI splits the line at a separator in it");
      }
    }
  },
};

/** Gemini CLI resumes by a whole UUID; for a file without one, its name contains the beginning. */
function wholeId({ sessionId, makers }: RepairContext): string {
  return /^[0-9a-f]{8}$/iu.test(sessionId) ? `${sessionId}${makers.uuid4().slice(8)}` : sessionId;
}

function mendHeader(draft: RepairDraft, context: RepairContext): void {
  const { cwd } = context;
  const lines = remainingLines(draft);
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

interface LineContext extends RepairContext {
  /** The time of the message before. */
  readonly time: unknown;
}

function mendLine(line: RecordLine, { sessionId, makers, time }: LineContext): void {
  const kind = kindOf(line.value);
  if (kind === "metadata") {
    const { fields, misformed } = mendHeaderFields(line.value);
    if (misformed.length > 0) change(line, fields, anotherForm(misformed));
  }
  const own = kind === "set" ? line.value.$set : line.value;
  const isNaming = kind === "set" || kind === "metadata";
  if (isNaming && isJson(own) && typeof own.sessionId === "string" && own.sessionId !== sessionId) {
    const mended = { ...own, sessionId };
    change(line, kind === "set" ? { ...line.value, $set: mended } : mended, "it names another session");
  }
  if (kind === "unknown" && typeof line.value.type === "string" && line.value.content !== undefined) {
    change(line, withId(line.value, makers.uuid4()), "the message has no id");
  }
  if (kindOf(line.value) === "message") {
    const { mended, reason } = mendMessage(line.value, time);
    if (reason !== null) change(line, mended, reason);
    return;
  }
  const list = listIn(line.value, kindOf(line.value));
  if (list === null) return;
  const mended = list.flatMap((item) => mendListed(item, makers.uuid4));
  if (mended.length !== list.length || mended.some((item, at) => item !== list[at])) {
    change(line, withList(line.value, mended), "messages of its list lack an id, or what their kind needs");
  }
}

function mendListed(item: unknown, newId: () => string): Json[] {
  if (!isJson(item)) return [];
  const { mended } = mendMessage(item, null);
  return [typeof mended.id === "string" ? mended : withId(mended, newId())];
}

/** A value that is not a text does not count as an id. */
function withId({ id: _, ...message }: Json, id: string): Json {
  return { id, ...message };
}

interface MendedMessage {
  readonly mended: Json;
  /** `null` if the message does not change. */
  readonly reason: string | null;
}

/** A message whose type is lost, and whose other content does not show it, does not change; Continuo shows it. */
function mendMessage(given: Json, time: unknown): MendedMessage {
  const { fields: message, misformed } = mendMessageFields(given, time);
  const type = typeof message.type === "string" ? message.type : typeOf(message);
  if (type === null) return { mended: given, reason: null };
  const { id, timestamp, type: _, ...rest } = message;
  const isSaid = type === "user" || type === "gemini";
  const lacksContent = isSaid && message.content === undefined && message.toolCalls === undefined;
  const reasons = [
    ...(type === message.type
      ? []
      : [`the message has no type, and has fields that only the type \`${type}\` has`]),
    ...(lacksContent ? ["the message has no content"] : []),
    ...(misformed.length === 0 ? [] : [anotherForm(misformed)]),
  ];
  if (reasons.length === 0) return { mended: given, reason: null };
  const head = { ...(id === undefined ? {} : { id }), ...(timestamp === undefined ? {} : { timestamp }) };
  const mended = { ...head, type, ...rest, ...(lacksContent ? { content: "" } : {}) };
  return { mended, reason: reasons.join("; ") };
}

function anotherForm(misformed: readonly string[]): string {
  return `Gemini CLI does not read the form of ${misformed.join(", ")}`;
}

/** Some keys and parts occur only in messages of one type. A text does not show the type. */
function typeOf(message: Json): "user" | "gemini" | null {
  const parts = partsOf(message.content).filter(isJson);
  const isAnswer =
    Array.isArray(message.toolCalls) ||
    Array.isArray(message.thoughts) ||
    isJson(message.tokens) ||
    typeof message.model === "string" ||
    parts.some((part) => isJson(part.functionCall) || part.thought === true);
  const isInput = message.displayContent !== undefined || parts.some((part) => isJson(part.functionResponse));
  if (isAnswer === isInput) return null;
  return isAnswer ? "gemini" : "user";
}

/**
 * A list replaces all messages before it, so a repeated list removes the messages that were added after its first copy.
 */
function dropRepeatedLists(draft: RepairDraft): void {
  const seen = new Set<string>();
  for (const line of remainingLines(draft)) {
    if (listIn(line.value, kindOf(line.value)) === null) continue;
    const text = JSON.stringify(line.value);
    if (seen.has(text))
      remove(line, "it repeats an earlier list, which takes out the messages after that one");
    seen.add(text);
  }
}

/**
 * At the start of a resumption Gemini CLI writes a list that holds only its own context, and then one that holds the
 * conversation again. If the second list is lost, the first one removes all earlier messages.
 */
function dropEmptyLists(draft: RepairDraft): void {
  const lines = remainingLines(draft).map((line) => ({ line, list: listIn(line.value, kindOf(line.value)) }));
  const isFull = (list: readonly unknown[]): boolean =>
    list.some((item) => isJson(item) && isResumable(item));
  const last = lines.findLastIndex(({ list }) => list !== null && isFull(list));
  let isSaid = last !== -1;
  for (const { line, list } of lines.slice(last + 1)) {
    if (list === null) isSaid ||= kindOf(line.value) === "message" && isResumable(line.value);
    else if (isSaid && kindOf(line.value) === "set") toMessages(draft, line, list);
  }
}

/** Writes the messages of the list as separate records, so that the list no longer removes the conversation. */
function toMessages(draft: RepairDraft, line: RecordLine, list: readonly unknown[]): void {
  const reason = "its list takes out the conversation, and none brings it back";
  const [first, ...more] = list.filter((item): item is Json => isJson(item) && typeof item.id === "string");
  if (first === undefined) remove(line, reason);
  else change(line, first, reason);
  for (const item of more.toReversed()) addBehind(draft, line, item, reason);
}

/** A rewind to a message that does not exist empties the list. */
function dropLostRewinds(draft: RepairDraft): void {
  let ids: string[] = [];
  /** The first place of each id. */
  const places = new Map<string, number>();
  const add = (id: string): void => {
    if (!places.has(id)) places.set(id, ids.length);
    ids.push(id);
  };
  for (const line of remainingLines(draft)) {
    const kind = kindOf(line.value);
    const list = listIn(line.value, kind);
    if (list !== null) {
      ids = [];
      places.clear();
      for (const item of list) if (isJson(item)) add(textOfValue(item.id));
    }
    if (kind === "message" && !places.has(textOfValue(line.value.id))) add(textOfValue(line.value.id));
    if (kind !== "rewind") continue;
    const at = places.get(textOfValue(line.value.$rewindTo));
    if (at === undefined)
      remove(line, "it rewinds to a message that is not there, which empties the session");
    else for (const id of ids.splice(at)) if ((places.get(id) ?? -1) >= at) places.delete(id);
  }
}

/**
 * The index of a session: what is known of each message without holding it, and where the branches end.
 *
 * A session is one line of messages. A revert (`session.revert`) removes a message, or a part of one, and everything
 * after it from the conversation; opencode deletes them when the person continues. Until then there are two leaves, and
 * the one before the revert is active.
 */

import type { Message } from "@continuo/core/model";
import { isJson, type Json, parseJson, textField } from "@continuo/files";
import { makeRoom } from "../kit/index.ts";
import type { NativeRecord } from "./records.ts";

export interface Index {
  count: number;
  readonly ids: (string | null)[];
  time: Float64Array;
  user: Uint32Array;
  assistant: Uint32Array;
  tool: Uint32Array;
  system: Uint32Array;
  toolCalls: Uint32Array;
  /** The value is 1 if the person typed something. */
  typed: Uint8Array;
}

export interface Counts {
  readonly total: number;
  readonly user: number;
  readonly assistant: number;
  readonly tool: number;
  readonly system: number;
  readonly toolCalls: number;
}

/** The end of a history: after this many messages, and the parts of the next one before `part`. */
export interface End {
  readonly messages: number;
  readonly part: string | null;
}

const COLUMNS = ["time", "user", "assistant", "tool", "system", "toolCalls", "typed"] as const;

export function createIndex(): Index {
  return {
    count: 0,
    ids: [],
    time: new Float64Array(0),
    user: new Uint32Array(0),
    assistant: new Uint32Array(0),
    tool: new Uint32Array(0),
    system: new Uint32Array(0),
    toolCalls: new Uint32Array(0),
    typed: new Uint8Array(0),
  };
}

/** @param typed whether the person typed something into the message. */
export function foldIndex(
  index: Index,
  record: NativeRecord,
  messages: readonly Message[],
  typed: string | null,
): void {
  const at = index.count;
  const counts = countMessages(messages);
  index.ids.push(record.id);
  makeRoom(index, COLUMNS, at);
  index.time[at] = record.timeMs;
  index.user[at] = counts.user;
  index.assistant[at] = counts.assistant;
  index.tool[at] = counts.tool;
  index.system[at] = counts.system;
  index.toolCalls[at] = counts.toolCalls;
  index.typed[at] = typed === null ? 0 : 1;
  index.count += 1;
}

export function countMessages(messages: readonly Message[]): Counts {
  const counts = { user: 0, assistant: 0, tool: 0, system: 0 };
  let toolCalls = 0;
  for (const message of messages) {
    counts[message.role] += 1;
    for (const block of message.content) if (block.type === "tool_call") toolCalls += 1;
  }
  return { total: messages.length, ...counts, toolCalls };
}

/** Counts of the first messages, by role. */
export function countUpTo(index: Index, messages: number): Counts {
  const counts = { user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };
  for (let at = 0; at < messages; at++) {
    counts.user += index.user[at] ?? 0;
    counts.assistant += index.assistant[at] ?? 0;
    counts.tool += index.tool[at] ?? 0;
    counts.system += index.system[at] ?? 0;
    counts.toolCalls += index.toolCalls[at] ?? 0;
  }
  return { ...counts, total: counts.user + counts.assistant + counts.tool + counts.system };
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    total: a.total + b.total,
    user: a.user + b.user,
    assistant: a.assistant + b.assistant,
    tool: a.tool + b.tool,
    system: a.system + b.system,
    toolCalls: a.toolCalls + b.toolCalls,
  };
}

/**
 * The active end first; a second one where something is reverted. A revert to a message that does not exist reverts
 * nothing.
 */
export function endsOf(index: Index, session: Json): readonly End[] {
  const whole: End = { messages: index.count, part: null };
  const messageId = revertedMessage(session);
  const at = messageId === null ? -1 : index.ids.indexOf(messageId);
  const part = textField(parseRevert(session.revert), "partID");
  return at === -1 ? [whole] : [{ messages: at, part }, whole];
}

/** The first message that a revert takes out, or takes a part out of. */
export function revertedMessage(session: Json): string | null {
  return textField(parseRevert(session.revert), "messageID");
}

/** A row stores it as text, an export as an object. */
function parseRevert(revert: unknown): Json {
  if (typeof revert !== "string") return isJson(revert) ? revert : {};
  try {
    const parsed: unknown = parseJson(revert);
    return isJson(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The parts that a revert leaves. */
export function partsBefore(parts: readonly NativeRecord[], partId: string): readonly NativeRecord[] {
  const at = parts.findIndex((part) => part.id === partId);
  return at === -1 ? parts : parts.slice(0, at);
}

/**
 * The compact index of a session: the place of each record, and each message with the facts that distinguish its
 * versions. At most 200 bytes a record or message of a list, ids included.
 *
 * A message may be in a record of its own or as an item of a list (`$set.messages`, or a file that is one object). The
 * same id again is another version of the message. `-1` stands for "none".
 */

import { isJson, type Json, toTime } from "@continuo/files";
import type { LinePlace } from "@continuo/files/records";
import {
  createIdTable,
  createLineColumns,
  hasFlag,
  type IdTable,
  internId,
  type LineColumns,
  makeRoom,
  setPlace,
  textOfId,
  withRoom,
} from "../kit/index.ts";
import { contentMarks, MARK, type Marks, markKind, readMarks } from "./marks.ts";
import {
  isContextMessage,
  isDroppedContent,
  isResponses,
  isSummary,
  kindOf,
  listIn,
  type RecordKind,
  typedText,
} from "./records.ts";

export const FLAG = {
  /** The text was typed by the person. */
  typed: 1,
  /** The program adds this message again at every start. */
  context: 2,
  /** A user message with only results. */
  responses: 4,
  gemini: 8,
  user: 16,
  /** The message replaces messages that a compaction removed. */
  summary: 32,
  /** The message has a list of tool calls, so that its results can be compared. */
  withCalls: 64,
  /** Gemini CLI does not send it. */
  dropped: 128,
} as const;

export interface Index extends LineColumns {
  readonly ids: IdTable;
  /** Records: lines of the file. */
  records: number;
  /** Messages, each version by itself. */
  nodes: number;
  record: Int32Array;
  /** The position in the record's list; -1 for a separate record. */
  item: Int32Array;
  /** Number of the message's id. */
  id: Int32Array;
  /** The version of the same id that came next. */
  next: Int32Array;
  /** The newest version so far, including this one, that is a separate record. */
  own: Int32Array;
  flags: Uint8Array;
  /** The time in milliseconds; `NaN` if there is none. */
  time: Float64Array;
  /** The place where the marks of a message begin; they end where the next one's do. */
  markStart: Uint32Array;
  marks: Int32Array;
  /** The keys are numbers of ids: the newest version of each. */
  newest: Int32Array;
}

const NODE_COLUMNS = ["record", "item", "id", "next", "own", "flags", "time"] as const;

export function createIndex(): Index {
  return {
    ids: createIdTable(),
    records: 0,
    ...createLineColumns(),
    nodes: 0,
    record: new Int32Array(64),
    item: new Int32Array(64),
    id: new Int32Array(64),
    next: new Int32Array(64),
    own: new Int32Array(64),
    flags: new Uint8Array(64),
    time: new Float64Array(64),
    markStart: new Uint32Array(65),
    marks: new Int32Array(64),
    newest: new Int32Array(64).fill(-1),
  };
}

/** Adds a record; returns its number. */
export function addRecord(index: Index, place: LinePlace): number {
  const at = index.records;
  setPlace(index, at, place);
  index.records += 1;
  return at;
}

/** Adds a version of a message; returns its number. `item` is -1 for a record of its own. */
export function addNode(index: Index, record: number, item: number, message: Json & { id: string }): number {
  const at = index.nodes;
  const id = internId(index.ids, message.id);
  roomForNode(index, at);
  index.nodes += 1;
  const earlier = index.newest[id] ?? -1;
  if (earlier !== -1) index.next[earlier] = at;
  index.newest[id] = at;
  index.record[at] = record;
  index.item[at] = item;
  index.id[at] = id;
  index.next[at] = -1;
  index.own[at] = item === -1 ? at : earlier === -1 ? -1 : (index.own[earlier] ?? -1);
  index.flags[at] = flagsOf(message);
  const time = toTime(message.timestamp);
  index.time[at] = time === null ? Number.NaN : Date.parse(time);
  addMarks(index, at, message);
  return at;
}

function roomForNode(index: Index, at: number): void {
  makeRoom(index, NODE_COLUMNS, at);
  index.markStart = withRoom(index.markStart, at + 1);
  index.newest = withRoom(index.newest, index.ids.size, -1);
}

function addMarks(index: Index, at: number, message: Json): void {
  let end = index.markStart[at] ?? 0;
  for (const mark of contentMarks(message, index.ids)) {
    index.marks = withRoom(index.marks, end);
    index.marks[end] = mark;
    end += 1;
  }
  index.markStart[at + 1] = end;
}

function flagsOf(message: Json): number {
  let flags = 0;
  if (message.type === "gemini") {
    flags |= FLAG.gemini;
    if (Array.isArray(message.toolCalls)) flags |= FLAG.withCalls;
    return flags;
  }
  if (message.type !== "user") return FLAG.dropped;
  flags |= FLAG.user;
  if (isContextMessage(message)) flags |= FLAG.context;
  if (isResponses(message)) flags |= FLAG.responses;
  if (isSummary(message)) flags |= FLAG.summary;
  if (typedText(message) !== null) flags |= FLAG.typed;
  if (isDroppedContent(message.content)) flags |= FLAG.dropped;
  return flags;
}

export function marksOf(index: Index, node: number): Marks {
  return readMarks(index.marks, index.markStart[node] ?? 0, index.markStart[node + 1] ?? 0);
}

/**
 * Returns true if a later version of a message has all the content of an earlier one. If the later version is an answer
 * without `toolCalls`, missing results do not matter: those of the earlier version stay.
 */
export function covers(index: Index, later: number, earlier: number): boolean {
  const [now, before] = [marksOf(index, later), marksOf(index, earlier)];
  const said = new Set(now.said);
  if (!before.said.every((mark) => said.has(mark))) return false;
  if (!before.calls.every((call) => now.calls.includes(call))) return false;
  if (hasFlag(index, later, FLAG.gemini) && !hasFlag(index, later, FLAG.withCalls)) return true;
  return before.results.every((old) =>
    now.results.some((result) => result.call === old.call && result.hash === old.hash),
  );
}

/**
 * Returns the marks of a message's content, in order and without thoughts. Results count only in messages of the user,
 * because only these are sent.
 */
export function spokenMarks(index: Index, node: number): number[] {
  const { said, calls, results } = marksOf(index, node);
  const sent = hasFlag(index, node, FLAG.gemini) ? [] : results.flatMap(({ call, hash }) => [call, hash]);
  return [...said.filter((mark) => markKind(mark) !== MARK.thought), ...calls, ...sent];
}

export function lineOf(index: Index, node: number): number {
  return index.line[index.record[node] ?? 0] ?? 0;
}

export function idOf(index: Index, node: number): string {
  return textOfId(index.ids, index.id[node] ?? 0);
}

/** A message has an id; Gemini CLI ignores everything without one. */
export function isMessage(value: unknown): value is Json & { readonly id: string } {
  return isJson(value) && typeof value.id === "string";
}

/** The messages of a record with their positions in its list, as Gemini CLI takes them in. */
export function* messagesIn(
  value: Json,
  kind: RecordKind = kindOf(value),
): Generator<{ readonly item: number; readonly message: Json & { id: string } }> {
  if (kind === "message" && isMessage(value)) yield { item: -1, message: value };
  for (const [item, message] of (listIn(value, kind) ?? []).entries()) {
    if (isMessage(message)) yield { item, message };
  }
}

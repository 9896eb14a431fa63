/**
 * The compact index of a session file: a few numbers for each line, which are enough to find branches, count messages
 * and fetch any line again. At most 200 bytes a record, ids included (`index-memory.full.test.ts` measures).
 *
 * Columns grow by a quarter; ids are numbers of one table. `-1` stands for "none".
 */

import { isJson, type Json, textField } from "@continuo/files";
import type { LinePlace } from "@continuo/files/records";
import {
  createIdTable,
  createLineColumns,
  type IdTable,
  internId,
  type LineColumns,
  makeRoom,
  setPlace,
} from "../kit/index.ts";
import {
  contentOf,
  isChained,
  isChainType,
  isSent,
  isToolResult,
  isToolUse,
  isUserAttachment,
  timeMsOf,
  typedText,
} from "./records.ts";

export const KIND = { plain: 0, user: 1, assistant: 2, system: 3, attachment: 4, other: 5 } as const;

export const FLAG = {
  sidechain: 1,
  /** The text was typed by the person. */
  typed: 2,
  /** The line becomes a message in addition to its tool results. */
  message: 4,
  /** That message has the role `user`, not `system`. */
  userRole: 8,
  /** The line is a link of the parent chain. */
  chained: 16,
  /** `apiBlockIndex` is above 0: earlier blocks of the same answer come before it. */
  laterBlock: 32,
  /** A conversation can begin with this line. */
  sent: 64,
} as const;

export interface Index extends LineColumns {
  readonly ids: IdTable;
  count: number;
  kind: Uint8Array;
  flags: Uint8Array;
  /** The time in milliseconds; `NaN` if there is none. */
  time: Float64Array;
  /** The number of the line's `uuid`. */
  id: Int32Array;
  /** The number of the line's `parentUuid`, or of `logicalParentUuid` if that is null. */
  parent: Int32Array;
  /** The number of the `message.id` of an assistant line. */
  message: Int32Array;
  /** The number of the first id of a tool call (assistant lines) or of a result (user lines). */
  tool: Int32Array;
  /** The further calls or results of the few lines that have several. */
  readonly moreTools: Map<number, number[]>;
  /** Newest `last-prompt.leafUuid`, as a number. */
  promptLeaf: number;
}

const COLUMNS = ["kind", "flags", "time", "id", "parent", "message", "tool"] as const;

export function createIndex(): Index {
  return {
    ids: createIdTable(),
    count: 0,
    ...createLineColumns(),
    kind: new Uint8Array(0),
    flags: new Uint8Array(0),
    time: new Float64Array(0),
    id: new Int32Array(0),
    parent: new Int32Array(0),
    message: new Int32Array(0),
    tool: new Int32Array(0),
    moreTools: new Map(),
    promptLeaf: -1,
  };
}

/** Adds one line; `value` is any JSON value of the line. Returns its number in the index. */
export function foldIndex(index: Index, place: LinePlace, value: unknown): number {
  const at = index.count;
  index.count += 1;
  setPlace(index, at, place);
  makeRoom(index, COLUMNS, at);
  const record = isJson(value) ? value : {};
  index.kind[at] = kindOf(record);
  index.flags[at] = flagsOf(record);
  index.time[at] = timeMsOf(record);
  index.id[at] = internField(index, record, "uuid");
  index.parent[at] = parentOf(index, record);
  const message = isJson(record.message) ? record.message : {};
  index.message[at] = record.type === "assistant" ? internField(index, message, "id") : -1;
  foldTools(index, at, record);
  if (record.type === "last-prompt") {
    const leaf = internField(index, record, "leafUuid");
    if (leaf !== -1) index.promptLeaf = leaf;
  }
  return at;
}

/** Numbers of the tool calls of an assistant line, or of the results of a user line, in order. */
export function toolsOf(index: Index, record: number): readonly number[] {
  const first = index.tool[record] ?? -1;
  if (first === -1) return [];
  return [first, ...(index.moreTools.get(record) ?? [])];
}

function kindOf(record: Json): number {
  if (!isChained(record)) return KIND.plain;
  return isChainType(record.type) ? KIND[record.type as "user"] : KIND.other;
}

function flagsOf(record: Json): number {
  if (!isChained(record)) return 0;
  let flags = FLAG.chained;
  if (record.isSidechain === true) flags |= FLAG.sidechain;
  if (typeof record.apiBlockIndex === "number" && record.apiBlockIndex > 0) flags |= FLAG.laterBlock;
  if (typedText(record) !== null) flags |= FLAG.typed;
  if (isSent(record)) flags |= FLAG.sent;
  if (record.type === "user") {
    const content = contentOf(record);
    if (content && (content.length === 0 || !content.every(isToolResult)))
      flags |= FLAG.message | FLAG.userRole;
  } else if (record.type === "assistant") {
    if (contentOf(record)) flags |= FLAG.message;
  } else {
    flags |= FLAG.message;
    if (record.type === "attachment" && isUserAttachment(record)) flags |= FLAG.userRole;
  }
  return flags;
}

function parentOf(index: Index, record: Json): number {
  if (!isChained(record)) return -1;
  const parent = internField(index, record, "parentUuid");
  return parent === -1 ? internField(index, record, "logicalParentUuid") : parent;
}

function foldTools(index: Index, at: number, record: Json): void {
  index.tool[at] = -1;
  if (record.type !== "user" && record.type !== "assistant") return;
  for (const block of contentOf(record) ?? []) {
    let id: string;
    if (record.type === "assistant" && isToolUse(block)) id = block.id;
    else if (record.type === "user" && isToolResult(block)) id = block.tool_use_id;
    else continue;
    const number = internId(index.ids, id);
    if (index.tool[at] === -1) index.tool[at] = number;
    else index.moreTools.set(at, [...(index.moreTools.get(at) ?? []), number]);
  }
}

function internField(index: Index, record: Json, key: string): number {
  const id = textField(record, key);
  return id === null ? -1 : internId(index.ids, id);
}

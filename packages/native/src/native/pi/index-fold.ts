/**
 * The first pass over a session file. It makes a compact index of at most 200 bytes per record (measured by
 * `index-memory.full.test.ts`), and collects what needs no second pass: models, usage, problems.
 * Pure. `-1` stands for "none".
 */

import { addUsage, type Usage } from "@continuo/core/model";
import { entryOf, isJson, type Json, textOfValue } from "@continuo/files";
import type { LinePlace, LineRecord } from "@continuo/files/records";
import {
  addProblem,
  createIdTable,
  createLineColumns,
  createProblemList,
  createToolPairs,
  type IdTable,
  internId,
  type LineColumns,
  makeRoom,
  noteCall,
  noteResult,
  type ProblemList,
  setPlace,
  type ToolPairs,
  withRoom,
} from "../kit/index.ts";
import { resumeFlawOf } from "./mend-message.ts";
import {
  callIdsOf,
  filledField,
  flawOf,
  type Header,
  isBrokenOff,
  isKnownType,
  messageOf,
  parseHeader,
  roleOf,
  timeMsOf,
  typedText,
} from "./records.ts";
import { toUsage } from "./usage.ts";

/** The kinds of entries. `outside` does not belong to the tree; `silent` is an entry that is not a message. */
export const KIND = { outside: 0, silent: 1, user: 2, assistant: 3, tool: 4, system: 5 } as const;

export const FLAG = {
  /** The text was typed by the person. */
  typed: 1,
  /** Part of the conversation. A path without such an entry is not a branch. */
  spoken: 2,
  compaction: 4,
  /** The entry has no `parentId`, or an invalid one. */
  unlinked: 8,
} as const;

export interface Index extends LineColumns {
  readonly ids: IdTable;
  count: number;
  kind: Uint8Array;
  flags: Uint8Array;
  /** The count of tool calls. */
  calls: Uint16Array;
  /** The time in milliseconds; `NaN` if there is none. */
  time: Float64Array;
  /** The number of the entry's `id`. */
  id: Int32Array;
  /** The number of the entry's `parentId`. */
  parent: Int32Array;
  /** The keys are numbers of ids: the last entry that has each. */
  recordOf: Int32Array;
  /** Entries with an id that an earlier entry has too; `copy` where, as far as the index tells, it is the same entry. */
  readonly repeats: { readonly record: number; readonly earlier: number; readonly copy: boolean }[];
  /** The ids that a compaction, a context edit or a label names: entry to number of id. */
  readonly references: Map<number, number>;
  /** `firstKeptEntryIndex` of version 1: a count of records, the header included. */
  readonly keptIndexes: Map<number, number>;
  /** The first record of type `session`. */
  header: Header | null;
  /** True if any entry has an id. */
  hasIds: boolean;
  readonly pairs: ToolPairs;
  readonly models: Set<string>;
  readonly unknown: Map<string, number>;
  usage: Usage | null;
  readonly problems: ProblemList;
}

const COLUMNS = ["kind", "flags", "calls", "time", "id", "parent"] as const;

export function createIndex(): Index {
  return {
    ids: createIdTable(),
    count: 0,
    ...createLineColumns(),
    kind: new Uint8Array(0),
    flags: new Uint8Array(0),
    calls: new Uint16Array(0),
    time: new Float64Array(0),
    id: new Int32Array(0),
    parent: new Int32Array(0),
    recordOf: new Int32Array(0),
    repeats: [],
    references: new Map(),
    keptIndexes: new Map(),
    header: null,
    hasIds: false,
    pairs: createToolPairs(),
    models: new Set(),
    unknown: new Map(),
    usage: null,
    problems: createProblemList(),
  };
}

/** Adds a line; a line that is not JSON adds only its problems. */
export function foldIndex(index: Index, line: LineRecord): void {
  for (const problem of line.problems) addProblem(index.problems, problem);
  if (line.value === undefined) return;
  const at = addRow(index, line);
  const record = line.value;
  if (!isJson(record)) foldFlaw(index, line, "the line is no JSON object");
  else foldRecord(index, at, record, line);
}

function foldRecord(index: Index, at: number, record: Json, line: LinePlace): void {
  index.time[at] = timeMsOf(record);
  const header = parseHeader(record);
  if (header !== null) {
    foldHeader(index, header, line);
    return;
  }
  const flaw = flawOf(record);
  if (flaw !== null) foldFlaw(index, line, flaw);
  index.kind[at] = flaw === null ? kindOf(record) : KIND.silent;
  foldResumeFlaw(index, record, line);
  const repeated = foldLinks(index, at, record);
  if (flaw !== null) return;
  index.flags[at] = (index.flags[at] ?? 0) | flagsOf(record);
  if (!isKnownType(textOfValue(record.type))) {
    index.unknown.set(textOfValue(record.type), (index.unknown.get(textOfValue(record.type)) ?? 0) + 1);
  }
  foldMessage(index, at, record, line.line);
  const usage = toUsage(record.type === "message" ? messageOf(record)?.usage : record.usage);
  if (usage !== null && !repeated) index.usage = addUsage(index.usage, usage);
}

function addRow(index: Index, place: LinePlace): number {
  const at = index.count;
  index.count += 1;
  setPlace(index, at, place);
  makeRoom(index, COLUMNS, at);
  index.time[at] = Number.NaN;
  index.id[at] = -1;
  index.parent[at] = -1;
  return at;
}

function foldFlaw(index: Index, { line }: LinePlace, flaw: string): void {
  addProblem(index.problems, { code: "bad_record", line, message: flaw });
}

function foldResumeFlaw(index: Index, record: Json, { line }: LinePlace): void {
  const message = messageOf(record);
  const flaw = message === null ? null : resumeFlawOf(message);
  if (flaw === null) return;
  const told = `pi cannot resume the session, or leaves this entry out: ${flaw}`;
  addProblem(index.problems, { code: "cannot_resume", line, message: told });
}

/** pi uses the first header and ignores any other. */
function foldHeader(index: Index, header: Header, { line }: LinePlace): void {
  if (index.header === null) {
    index.header = header;
    return;
  }
  const same = header.id === index.header.id;
  addProblem(index.problems, {
    code: same ? "duplicate_id" : "wrong_session_id",
    line,
    message: `a second header, of ${same ? "the same session" : `session ${header.id ?? "without an id"}`}`,
  });
}

/** Returns whether the entry is a copy of an earlier one. */
function foldLinks(index: Index, at: number, record: Json): boolean {
  const parent = filledField(record, "parentId");
  if (parent !== null) index.parent[at] = internId(index.ids, parent);
  else if (record.parentId !== null && record.parentId !== "") index.flags[at] = FLAG.unlinked;
  foldReference(index, at, record);
  const id = filledField(record, "id");
  if (id === null) return false;
  const number = internId(index.ids, id);
  index.id[at] = number;
  index.hasIds = true;
  index.recordOf = withRoom(index.recordOf, number, -1);
  const earlier = index.recordOf[number] ?? -1;
  index.recordOf[number] = at;
  if (earlier === -1) return false;
  const columns = [index.length, index.kind, index.parent];
  const copy = columns.every((column) => column[at] === column[earlier]);
  index.repeats.push({ record: at, earlier, copy });
  return copy;
}

function foldReference(index: Index, at: number, record: Json): void {
  const key = record.type === "compaction" ? "firstKeptEntryId" : "targetId";
  const named = record.type === "compaction" || record.type === "context_edit" || record.type === "label";
  const target = named ? filledField(record, key) : null;
  if (target !== null) index.references.set(at, internId(index.ids, target));
  if (record.type !== "compaction" || typeof record.firstKeptEntryIndex !== "number") return;
  index.keptIndexes.set(at, record.firstKeptEntryIndex);
}

function kindOf(record: Json): number {
  switch (record.type) {
    case "message":
      return entryOf(KIND_OF_ROLE, roleOf(record) ?? "") ?? KIND.system;
    case "compaction":
    case "branch_summary":
    case "custom_message":
      return KIND.user;
    case "custom":
    case "usage":
      return KIND.silent;
    default:
      return KIND.system;
  }
}

/** A role that is not here is an extension's own: kept, and not sent to the model. */
const KIND_OF_ROLE: Readonly<Record<string, number>> = {
  user: KIND.user,
  assistant: KIND.assistant,
  toolResult: KIND.tool,
  bashExecution: KIND.user,
  custom: KIND.user,
  branchSummary: KIND.user,
  compactionSummary: KIND.user,
  system: KIND.system,
};

function flagsOf(record: Json): number {
  let flags = typedText(record) === null ? 0 : FLAG.typed;
  if (record.type === "compaction") flags |= FLAG.compaction;
  const spoken = record.type === "message" ? roleOf(record) !== "system" : kindOf(record) === KIND.user;
  return spoken ? flags | FLAG.spoken : flags;
}

function foldMessage(index: Index, at: number, record: Json, line: number): void {
  const message = messageOf(record);
  if (message === null) return;
  if (message.role === "toolResult") noteResult(index.pairs, textOfValue(message.toolCallId), line);
  if (message.role !== "assistant") return;
  const model = filledField(message, "model");
  if (model !== null) index.models.add(model);
  const calls = callIdsOf(message);
  index.calls[at] = calls.length;
  // A call in an incomplete answer was never made.
  if (!isBrokenOff(message)) for (const id of calls) noteCall(index.pairs, id, line);
}

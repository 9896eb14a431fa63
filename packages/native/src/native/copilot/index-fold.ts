/**
 * The first pass over a session file: a compact index (a few numbers per record), and everything that needs no second
 * pass: models, usage, sub-agents, problems. Pure. `-1` stands for "none".
 */

import { addUsage, type SubagentInfo, type Usage } from "@continuo/core/model";
import { isJson, type Json, textOfValue } from "@continuo/files";
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
import { MAX_SUBAGENTS } from "./limits.ts";
import {
  agentIdOf,
  assetIdsOf,
  callIdsOf,
  classOf,
  dataOf,
  filledField,
  flawOf,
  type Header,
  isUserCommand,
  parseHeader,
  summaryOf,
  typedText,
} from "./records.ts";
import { type FirstSpeaker, firstSpeakerAfter, resumeFlawOf } from "./resume-flaw.ts";
import { usageIn } from "./usage.ts";

/** The kinds of records. `silent` is a record that is not a message. */
export const KIND = { silent: 0, user: 1, assistant: 2, tool: 3, system: 4 } as const;

export const FLAG = {
  /** The text was typed by the person. */
  typed: 1,
  /** A command that the person requested: the next result of its id belongs to it. */
  command: 2,
  /** Copilot ignores the line, because it has bytes that are not UTF-8 (seen in 1.0.102). */
  lost: 4,
} as const;

export type Subagent = Omit<SubagentInfo, "location" | "sizeBytes"> & { readonly sizeBytes: number };

export interface Index extends LineColumns {
  readonly ids: IdTable;
  count: number;
  kind: Uint8Array;
  flags: Uint8Array;
  /** The count of tool calls. */
  calls: Uint16Array;
  /** The time in milliseconds; `NaN` if there is none. */
  time: Float64Array;
  /** The number of the record's `id`. */
  id: Int32Array;
  /** The record with the usage of an answer. */
  usageOf: Int32Array;
  /** The keys are numbers of ids: the first record that has each. */
  recordOf: Int32Array;
  /** The keys are names of assets: the record that holds each. */
  readonly assets: Map<string, number>;
  /** Names of assets that a message needs, but no earlier record contains. */
  readonly missingAssets: Set<string>;
  readonly subagents: Map<string, Subagent>;
  header: Header | null;
  lastUsage: number;
  firstSpeaker: FirstSpeaker;
  /** The line of the first answer that no message of the person precedes. */
  firstAnswerLine: number | null;
  readonly pairs: ToolPairs;
  /** Calls that wait for a result. */
  readonly open: Set<string>;
  readonly models: Set<string>;
  readonly versions: Set<string>;
  readonly unknown: Map<string, number>;
  usage: Usage | null;
  readonly problems: ProblemList;
}

const COLUMNS = ["kind", "flags", "calls", "time", "id", "usageOf"] as const;

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
    usageOf: new Int32Array(0),
    recordOf: new Int32Array(0),
    assets: new Map(),
    missingAssets: new Set(),
    subagents: new Map(),
    header: null,
    lastUsage: -1,
    firstSpeaker: "nobody",
    firstAnswerLine: null,
    pairs: createToolPairs(),
    open: new Set(),
    models: new Set(),
    versions: new Set(),
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

function addRow(index: Index, place: LinePlace): number {
  const at = index.count;
  index.count += 1;
  setPlace(index, at, place);
  makeRoom(index, COLUMNS, at);
  index.time[at] = Number.NaN;
  index.id[at] = -1;
  index.usageOf[at] = -1;
  return at;
}

function foldRecord(index: Index, at: number, record: Json, line: LineRecord): void {
  const ms = typeof record.timestamp === "string" ? Date.parse(record.timestamp) : Number.NaN;
  index.time[at] = ms;
  foldHeader(index, record, line);
  foldId(index, at, record, line);
  const flaw = flawOf(record);
  if (flaw !== null) foldFlaw(index, line, flaw);
  const isLost = line.problems.some(({ code }) => code === "bad_utf8");
  const refused = isLost ? null : resumeFlawOf(record);
  if (refused !== null) {
    const message = `Copilot cannot resume the session: ${refused}`;
    addProblem(index.problems, { code: "cannot_resume", line: line.line, message });
  }
  if (!isLost) foldFirstSpeaker(index, record, line);
  foldUsage(index, at, record);
  const asset = record.type === "session.binary_asset" ? filledField(dataOf(record), "assetId") : null;
  if (asset !== null) index.assets.set(asset, at);
  if (agentIdOf(record) !== null) {
    foldSubagent(index, record, line);
    return;
  }
  index.kind[at] = flaw === null ? kindOf(record) : KIND.system;
  index.flags[at] =
    (typedText(record) === null ? 0 : FLAG.typed) |
    (record.type === "tool.user_requested" ? FLAG.command : 0) |
    (isLost ? FLAG.lost : 0);
  if (classOf(record) === "unknown" && flaw === null) {
    const type = textOfValue(record.type);
    index.unknown.set(type, (index.unknown.get(type) ?? 0) + 1);
  }
  if (flaw === null) foldMessage(index, at, record, line.line);
}

function foldFlaw(index: Index, { line }: LinePlace, flaw: string): void {
  addProblem(index.problems, { code: "bad_record", line, message: flaw });
}

function foldHeader(index: Index, record: Json, { line }: LinePlace): void {
  const resumed = record.type === "session.resume" ? filledField(dataOf(record), "copilotVersion") : null;
  if (resumed !== null) index.versions.add(resumed);
  const header = parseHeader(record);
  if (header === null || agentIdOf(record) !== null) return;
  if (header.copilotVersion !== null) index.versions.add(header.copilotVersion);
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

/** Two records can have one id: Copilot reads both. */
function foldId(index: Index, at: number, record: Json, { line }: LinePlace): void {
  const id = filledField(record, "id");
  if (id === null) return;
  const number = internId(index.ids, id);
  index.id[at] = number;
  index.recordOf = withRoom(index.recordOf, number, -1);
  const earlier = index.recordOf[number] ?? -1;
  if (earlier === -1) index.recordOf[number] = at;
  else {
    const message = `the id ${id.slice(0, 80)} is that of line ${index.line[earlier]} too`;
    addProblem(index.problems, { code: "duplicate_id", line, message });
  }
}

function foldFirstSpeaker(index: Index, record: Json, { line }: LinePlace): void {
  const before = index.firstSpeaker;
  index.firstSpeaker = firstSpeakerAfter(before, record);
  if (index.firstSpeaker === "model" && before !== "model") index.firstAnswerLine = line;
}

function foldUsage(index: Index, at: number, record: Json): void {
  const usage = usageIn(record);
  if (usage === null) return;
  index.usage = addUsage(index.usage, usage);
  if (agentIdOf(record) === null) index.lastUsage = at;
}

function foldSubagent(index: Index, record: Json, { length }: LinePlace): void {
  const id = agentIdOf(record) ?? "";
  const known = index.subagents.get(id);
  if (known === undefined && index.subagents.size >= MAX_SUBAGENTS) return;
  const data = record.type === "subagent.started" ? dataOf(record) : {};
  index.subagents.set(id, {
    id,
    type: filledField(data, "agentName") ?? known?.type ?? null,
    description: filledField(data, "agentDescription") ?? known?.description ?? null,
    toolCallId: filledField(data, "toolCallId") ?? known?.toolCallId ?? null,
    model: filledField(data, "model") ?? known?.model ?? null,
    sizeBytes: (known?.sizeBytes ?? 0) + length,
  });
}

function kindOf(record: Json): number {
  const kind = classOf(record);
  if (kind === "silent") return KIND.silent;
  if (record.type === "user.message" || record.type === "system.notification") return KIND.user;
  if (record.type === "assistant.message" || record.type === "session.error") return KIND.assistant;
  if (record.type === "tool.execution_complete") return isUserCommand(record) ? KIND.user : KIND.tool;
  return summaryOf(record) === null ? KIND.system : KIND.user;
}

/** A call that was running when the person interrupted it never gets a result. */
function foldAbort(index: Index, line: number): void {
  for (const id of index.open) noteResult(index.pairs, id, line);
  index.open.clear();
}

function foldMessage(index: Index, at: number, record: Json, line: number): void {
  const data = dataOf(record);
  for (const id of assetIdsOf(record)) if (!index.assets.has(id)) index.missingAssets.add(id);
  if (record.type === "tool.execution_complete" && !isUserCommand(record)) {
    noteResult(index.pairs, filledField(data, "toolCallId") ?? "", line);
    index.open.delete(filledField(data, "toolCallId") ?? "");
  }
  if (record.type === "abort") foldAbort(index, line);
  if (record.type !== "assistant.message") return;
  const model = filledField(data, "model");
  if (model !== null) index.models.add(model);
  const calls = callIdsOf(data);
  index.calls[at] = calls.length;
  for (const id of calls) {
    noteCall(index.pairs, id, line);
    if (!index.pairs.results.has(id)) index.open.add(id);
  }
  index.usageOf[at] = index.lastUsage;
  index.lastUsage = -1;
}

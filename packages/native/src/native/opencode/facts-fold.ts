/** The facts of a full read besides the index: models, usage, unknown parts, sub-agents, problems. */

import { addUsage, type ProblemCode, type Usage } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { addProblem, createProblemList, type ProblemList } from "../kit/index.ts";
import { usageOf } from "./messages.ts";
import { childOf, isKnownPart, type NativeRecord, objectField } from "./records.ts";
import { SILENT_TYPES } from "./second-records.ts";

export interface Facts {
  readonly models: Set<string>;
  readonly unknownRecords: Map<string, number>;
  /** Tool calls by the session that they started. */
  readonly callOfChild: Map<string, string>;
  readonly problems: ProblemList;
  usage: Usage | null;
  records: number;
}

export function createFacts(): Facts {
  return {
    models: new Set(),
    unknownRecords: new Map(),
    callOfChild: new Map(),
    problems: createProblemList(),
    usage: null,
    records: 0,
  };
}

export function foldMessageFacts(facts: Facts, record: NativeRecord, sessionId: string): void {
  foldRecord(facts, record, sessionId);
  const info = record.data;
  if (info === null) return;
  if (info.role !== "user" && info.role !== "assistant") {
    add(facts, "bad_record", `message ${nameOf(record)} is neither the user's nor an assistant's`);
    return;
  }
  if (info.role !== "assistant") return;
  const model = textField(info, "modelID");
  if (model !== null) facts.models.add(model);
  const usage = usageOf(info);
  if (usage !== null) facts.usage = addUsage(facts.usage, usage);
}

export function foldPartFacts(facts: Facts, record: NativeRecord, sessionId: string): void {
  foldRecord(facts, record, sessionId);
  const part = record.data;
  if (part === null) return;
  const type = textField(part, "type");
  if (type === null) add(facts, "bad_record", `part ${nameOf(record)} has no type`);
  else if (!isKnownPart(type)) foldUnknown(facts, type);
  else if (!isWhole(part)) add(facts, "bad_record", `part ${nameOf(record)} lacks what a ${type} needs`);
  else if (type === "tool") foldTool(facts, record, part);
}

/** A record that belongs to no message. */
export function foldStray(facts: Facts, record: NativeRecord): void {
  facts.records += 1;
  foldDamage(facts, record);
  if (record.kind === "session_message") {
    const type = textField(record.value, "type") ?? "";
    if (!SILENT.has(type)) foldUnknown(facts, type);
  }
  if (record.kind === "part" && record.parentId !== null && record.damage === null) {
    add(
      facts,
      "dangling_parent",
      `part ${nameOf(record)} belongs to message ${record.parentId.slice(0, 80)}, which is not here`,
    );
  }
}

const SILENT: ReadonlySet<string> = new Set(SILENT_TYPES);

function foldRecord(facts: Facts, record: NativeRecord, sessionId: string): void {
  if (record.kind === "content") return;
  facts.records += 1;
  foldDamage(facts, record);
  if (record.id === null) add(facts, "missing_id", `a ${record.kind} has no id`);
  if (record.sessionId !== null && record.sessionId !== sessionId) {
    const message = `${record.kind} ${nameOf(record)} says that it belongs to session ${record.sessionId.slice(0, 80)}`;
    add(facts, "wrong_session_id", message);
  }
}

function foldDamage(facts: Facts, record: NativeRecord): void {
  if (record.damage === null) return;
  add(facts, record.damage.code, `${record.kind} ${nameOf(record)}: ${record.damage.message}`);
}

function foldTool(facts: Facts, record: NativeRecord, part: Json): void {
  const child = childOf(part);
  const callId = textField(part, "callID") ?? "";
  if (child !== null && !facts.callOfChild.has(child)) facts.callOfChild.set(child, callId);
  const { status } = objectField(part, "state");
  if (status === "completed" || status === "error") return;
  add(
    facts,
    "call_without_result",
    `tool call ${callId.slice(0, 80)} (${nameOf(record)}) is still ${String(status).slice(0, 20)}`,
  );
}

function foldUnknown(facts: Facts, type: string): void {
  facts.unknownRecords.set(type, (facts.unknownRecords.get(type) ?? 0) + 1);
}

/** Returns true if a part has the fields without which its type cannot be read. */
function isWhole(part: Json): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return typeof part.text === "string";
    case "tool":
      return typeof part.callID === "string" && typeof part.tool === "string" && isJson(part.state);
    case "file":
      return typeof part.mime === "string" && typeof part.url === "string";
    default:
      return true;
  }
}

function nameOf(record: NativeRecord): string {
  return record.id?.slice(0, 80) ?? "without id";
}

function add(facts: Facts, code: ProblemCode, message: string): void {
  addProblem(facts.problems, { code, line: null, message });
}

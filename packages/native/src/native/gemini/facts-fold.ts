/** The facts of a full read besides the index: models, usage, unknown types, session ids, problems. */

import { addUsage, type Problem, type Usage } from "@continuo/core/model";
import { isJson, type Json, textField, textOfValue } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import {
  addProblem,
  createProblemList,
  type IdTable,
  internId,
  type ProblemList,
  withRoom,
} from "../kit/index.ts";
import { isMessage } from "./index-fold.ts";
import { mendMessageFields } from "./mend-fields.ts";
import { usageOf } from "./messages.ts";
import { isKnownType, kindOf, listIn, metadataIn, type RecordKind } from "./records.ts";

export interface Facts {
  readonly models: Set<string>;
  readonly unknownRecords: Map<string, number>;
  readonly problems: ProblemList;
  usage: Usage | null;
  /**
   * The index is the number of an id. The value is 1 if the usage of that answer is already in the sum: the same answer
   * is written several times.
   */
  counted: Uint8Array;
  records: number;
  hasMetadata: boolean;
  hasProjectHash: boolean;
  withSessionId: number;
  firstForeign: { readonly line: number; readonly id: string; count: number } | null;
}

export function createFacts(): Facts {
  return {
    models: new Set(),
    unknownRecords: new Map(),
    problems: createProblemList(),
    usage: null,
    counted: new Uint8Array(64),
    records: 0,
    hasMetadata: false,
    hasProjectHash: false,
    withSessionId: 0,
    firstForeign: null,
  };
}

interface FactsContext {
  readonly sessionId: string;
  /** The ids of the index. */
  readonly ids: IdTable;
}

export function foldFacts(facts: Facts, line: LineRecord, { sessionId, ids }: FactsContext): void {
  for (const problem of line.problems) addProblem(facts.problems, problem);
  if (line.value === undefined) return;
  facts.records += 1;
  if (!isJson(line.value)) {
    addProblem(facts.problems, {
      code: "bad_record",
      line: line.line,
      message: "the line is JSON, but no object",
    });
    return;
  }
  const kind = kindOf(line.value);
  foldMetadata(facts, line.value, kind, line.line, sessionId);
  if (kind === "unknown") foldUnknown(facts, line.value, line.line);
  if (kind === "message") foldMessage(facts, ids, line.value, line.line);
  for (const message of listIn(line.value, kind) ?? []) foldItem(facts, ids, message, line.line);
}

function foldMetadata(facts: Facts, value: Json, kind: RecordKind, line: number, sessionId: string): void {
  if (kind === "metadata" && !facts.hasMetadata) {
    facts.hasMetadata = true;
    if (facts.records > 1) {
      const message = "the record that names the session does not come first";
      addProblem(facts.problems, { code: "bad_order", line, message });
    }
  }
  const metadata = metadataIn(value, kind);
  if (metadata === null) return;
  if (textField(metadata, "projectHash")) facts.hasProjectHash = true;
  const id = textField(metadata, "sessionId");
  if (id === null || id === "") return;
  facts.withSessionId += 1;
  if (id === sessionId) return;
  if (facts.firstForeign === null) facts.firstForeign = { line, id, count: 1 };
  else facts.firstForeign.count += 1;
}

function foldUnknown(facts: Facts, value: Json, line: number): void {
  if (typeof value.type === "string" && value.content !== undefined) {
    const message = `the ${value.type.slice(0, 40)} message has no id: Gemini CLI does not see it`;
    addProblem(facts.problems, { code: "missing_id", line, message });
    return;
  }
  countUnknown(facts, typeof value.type === "string" ? value.type : (Object.keys(value)[0] ?? "{}"));
}

function foldItem(facts: Facts, ids: IdTable, message: unknown, line: number): void {
  if (isMessage(message)) foldMessage(facts, ids, message, line);
  else {
    const code = isJson(message) ? "missing_id" : "bad_record";
    addProblem(facts.problems, { code, line, message: "an item of the list is no message with an id" });
  }
}

function foldMessage(facts: Facts, ids: IdTable, message: Json, line: number): void {
  if (typeof message.type === "string" && !isKnownType(message.type)) countUnknown(facts, message.type);
  const isSaid = message.type === "user" || message.type === "gemini";
  const isEmpty = message.content === undefined && message.toolCalls === undefined;
  if (typeof message.type !== "string" || (isSaid && isEmpty)) {
    const lacks = typeof message.type === "string" ? "content" : "type";
    addProblem(facts.problems, { code: "bad_record", line, message: `the message has no ${lacks}` });
  }
  const { misformed } = mendMessageFields(message, null);
  if (misformed.length > 0) {
    const told = `Gemini CLI cannot resume the session: it does not read the form of ${misformed.join(", ")}`;
    addProblem(facts.problems, { code: "cannot_resume", line, message: told });
  }
  if (message.type !== "gemini") return;
  const model = textField(message, "model");
  if (model !== null && model !== "") facts.models.add(model);
  const usage = usageOf(message);
  const id = internId(ids, textOfValue(message.id));
  facts.counted = withRoom(facts.counted, id);
  if (usage === null || facts.counted[id] === 1) return;
  facts.counted[id] = 1;
  facts.usage = addUsage(facts.usage, usage);
}

function countUnknown(facts: Facts, type: string): void {
  facts.unknownRecords.set(type, (facts.unknownRecords.get(type) ?? 0) + 1);
}

/** Problems of the session as a whole, known at the end. */
export function wholeProblems(facts: Facts, sessionId: string): Problem[] {
  if (facts.records === 0) return [];
  const problems: Problem[] = [];
  if (!facts.hasMetadata) {
    const message = "no record names the session and its project: Gemini CLI does not read the file";
    problems.push({ code: "missing_header", line: null, message });
  }
  if (facts.withSessionId === 0) {
    problems.push({ code: "missing_session_id", line: null, message: "no record names the session" });
  }
  if (facts.firstForeign !== null) {
    const { line, id, count } = facts.firstForeign;
    const message = `${count} records name session ${id.slice(0, 80)}, the first one ${sessionId}`;
    problems.push({ code: "wrong_session_id", line, message });
  }
  return problems;
}

/**
 * The facts of a full read in addition to the index: models, versions, usage, unknown types, other sessions, problems.
 */

import { addUsage, type Problem, type Usage } from "@continuo/core/model";
import { isJson, type Json, textField, textOfValue } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import { addProblem, createProblemList, type ProblemList } from "../kit/index.ts";
import { resumeFlawOf } from "./mend-line.ts";
import { usageOf } from "./messages.ts";
import { contentOf, isChained, isChainType, isKnownType, isToolResult } from "./records.ts";

export interface Facts {
  readonly models: Set<string>;
  readonly versions: Set<string>;
  readonly unknownRecords: Map<string, number>;
  /** Sub-agents that results name, by the id of the call. */
  readonly children: Map<string, string>;
  readonly problems: ProblemList;
  /**
   * The source of a fork: `forkedFrom`, which the SDK writes, or else the session that requested the last answer
   * (`--fork-session`).
   */
  forkedFrom: string | null;
  askedBy: string | null;
  usage: Usage | null;
  /**
   * The answer that usage was last read from, and that usage; lines of one answer repeat it, and the last one counts.
   */
  answer: { readonly id: number; readonly usage: Usage } | null;
  /**
   * The index is the number of an id. The value is 1 if the usage of that answer is already in the sum: lines of other
   * answers can be between its lines.
   */
  counted: Uint8Array;
  withSessionId: number;
  foreignLines: number;
  firstForeign: { readonly line: number; readonly id: string } | null;
}

export function createFacts(): Facts {
  return {
    models: new Set(),
    versions: new Set(),
    unknownRecords: new Map(),
    children: new Map(),
    problems: createProblemList(),
    forkedFrom: null,
    askedBy: null,
    usage: null,
    answer: null,
    counted: new Uint8Array(64),
    withSessionId: 0,
    foreignLines: 0,
    firstForeign: null,
  };
}

export interface FactsContext {
  /** The session that the file should contain; `null` if lines of other sessions are valid. */
  readonly sessionId: string | null;
  /** Number of the line's `message.id`, -1 for none. */
  readonly answer: number;
}

export function foldFacts(facts: Facts, line: LineRecord, context: FactsContext): void {
  for (const problem of line.problems) addProblem(facts.problems, problem);
  if (line.value === undefined) return;
  const record = line.value;
  if (!isJson(record) || typeof record.type !== "string") {
    addProblem(facts.problems, {
      code: "bad_record",
      line: line.line,
      message: "the line is JSON, but not a record with a type",
    });
    if (!isJson(record)) return;
  }
  const flaw = resumeFlawOf(record);
  if (flaw !== null) {
    const message = `Claude Code cannot resume the session, or leaves this line out: ${flaw}`;
    addProblem(facts.problems, { code: "cannot_resume", line: line.line, message });
  }
  const type = textOfValue(record.type);
  if (!isKnownType(type)) facts.unknownRecords.set(type, (facts.unknownRecords.get(type) ?? 0) + 1);
  const version = textField(record, "version");
  if (version !== null) facts.versions.add(version);
  foldSessionId(facts, record, line.line, context.sessionId);
  if (facts.forkedFrom === null && isJson(record.forkedFrom)) {
    facts.forkedFrom = textField(record.forkedFrom, "sessionId");
  }
  const askedBy = textField(record, "requestSessionId");
  if (askedBy !== null && askedBy !== record.sessionId) facts.askedBy = askedBy;
  if (isChained(record)) foldLink(facts, record, line.line);
  if (type === "assistant") foldAnswer(facts, record, context.answer);
  if (type === "user") foldChild(facts, record);
}

/** The sum of the usage of every answer. */
export function finishUsage(facts: Facts): Usage | null {
  return facts.answer === null ? facts.usage : addUsage(facts.usage, facts.answer.usage);
}

/** Problems of the session id, known at the end. */
export function sessionIdProblems(facts: Facts, records: number, sessionId: string | null): Problem[] {
  if (sessionId === null || records === 0) return [];
  if (facts.withSessionId === 0) {
    return [{ code: "missing_session_id", line: null, message: "no line names its session" }];
  }
  if (facts.firstForeign === null) return [];
  const { line, id } = facts.firstForeign;
  const message = `${facts.foreignLines} lines belong to session ${id.slice(0, 80)}, the file is ${sessionId}`;
  return [{ code: "wrong_session_id", line, message }];
}

function foldSessionId(facts: Facts, record: Json, line: number, expected: string | null): void {
  const id = textField(record, "sessionId");
  if (id === null) return;
  facts.withSessionId += 1;
  if (expected === null || id === expected) return;
  facts.foreignLines += 1;
  facts.firstForeign ??= { line, id };
}

function foldLink(facts: Facts, record: Json, line: number): void {
  if (typeof record.uuid !== "string") {
    addProblem(facts.problems, {
      code: "missing_id",
      line,
      message: `the ${textOfValue(record.type)} line has no uuid`,
    });
  }
  if (isChainType(record.type) && record.parentUuid === undefined) {
    addProblem(facts.problems, {
      code: "missing_id",
      line,
      message: `the ${textOfValue(record.type)} line has no parentUuid`,
    });
  }
  const isSaid = record.type === "user" || record.type === "assistant";
  if (isSaid && contentOf(record) === null) {
    addProblem(facts.problems, {
      code: "bad_record",
      line,
      message: `the ${record.type} line has no message content`,
    });
  }
}

function foldAnswer(facts: Facts, record: Json, id: number): void {
  const message = isJson(record.message) ? record.message : {};
  const model = textField(message, "model");
  if (model !== null && model !== "<synthetic>") facts.models.add(model);
  const usage = usageOf(message);
  if (usage === null || (id !== -1 && facts.counted[id] === 1)) return;
  if (facts.answer !== null && (id === -1 || facts.answer.id !== id)) {
    facts.usage = addUsage(facts.usage, facts.answer.usage);
    markCounted(facts, facts.answer.id);
  }
  facts.answer = { id, usage };
}

function markCounted(facts: Facts, id: number): void {
  if (id === -1) return;
  if (id >= facts.counted.length) {
    const grown = new Uint8Array(Math.ceil((id + 1) * 1.25));
    grown.set(facts.counted);
    facts.counted = grown;
  }
  facts.counted[id] = 1;
}

function foldChild(facts: Facts, record: Json): void {
  const agentId = isJson(record.toolUseResult) ? textField(record.toolUseResult, "agentId") : null;
  if (agentId === null) return;
  const result = contentOf(record)?.find(isToolResult);
  if (result !== undefined) facts.children.set(result.tool_use_id, agentId);
}

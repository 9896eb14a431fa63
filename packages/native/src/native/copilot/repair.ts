/**
 * Repairs a session of Copilot: the fields of each record that a resume needs, a header, links, and calls with their
 * results (rules of 1.0.102, see `resume-flaw.ts`). A record that cannot be repaired is removed, like a line that is
 * not a record.
 */

import { entryOf, isJson, type Json, textOfValue } from "@continuo/files";
import {
  addBefore,
  addBehind,
  change,
  moveBehind,
  type NativeRepairer,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
  remove,
} from "../repairing/index.ts";
import { hasShape, withoutWrongFields } from "./field-forms.ts";
import { NO_RESULT } from "./model-view.ts";
import { agentIdOf, callIdsOf, dataOf, filledField, isUserCommand } from "./records.ts";
import {
  type FirstSpeaker,
  firstSpeakerAfter,
  isBrokenSeal,
  isUuid,
  isZonedTime,
  resumeFlawOf,
  SEALS,
  toCallId,
} from "./resume-flaw.ts";
import { WRITTEN_VERSION } from "./writer.ts";

export const copilotRepairer: NativeRepairer = {
  agent: "copilot",
  mend(draft, context) {
    for (const line of remainingLines(draft)) mendData(line, context);
    mendHeader(draft, context);
    mendEnvelopes(draft, context);
    pairLostResults(draft);
    dropLostResults(draft);
    closeCalls(draft, context);
    beginWithPrompt(draft, context);
    relink(draft);
  },
};

/**
 * Mends the fields inside of `data`. Removes a record that Copilot still cannot read, such as one without a type or
 * `data`.
 */
function mendData(line: RecordLine, { makers, sessionId }: RepairContext): void {
  const { value } = line;
  if (typeof value.type !== "string") {
    remove(line, "it has no type");
    return;
  }
  if (!hasShape(value.type)) return;
  if (!isJson(value.data)) {
    remove(line, "it has no data");
    return;
  }
  const envelope = { id: ZERO, timestamp: new Date(0).toISOString(), parentId: null };
  const flaw = resumeFlawOf({ ...value, ...envelope });
  if (flaw === null) return;
  const right = withoutWrongFields(value.type, value.data);
  const mended = entryOf(MENDERS, value.type)?.(right, { sessionId, id: makers.uuid4() }) ?? right;
  if (resumeFlawOf({ ...value, data: mended, ...envelope }) === null)
    change(line, { ...value, data: mended }, flaw);
  else remove(line, flaw);
}

const ZERO = "00000000-0000-4000-8000-000000000000";

interface MendContext {
  readonly sessionId: string;
  readonly id: string;
}

/** These functions restore the fields that a record needs, as far as its other content shows them. */
const MENDERS: Readonly<Record<string, (data: Json, context: MendContext) => Json>> = {
  "session.start": (data, { sessionId }) => ({
    ...data,
    sessionId: filledField(data, "sessionId") ?? sessionId,
    version: Number.isInteger(data.version) ? data.version : 1,
    producer: filledField(data, "producer") ?? "continuo",
    copilotVersion: filledField(data, "copilotVersion") ?? WRITTEN_VERSION,
    startTime: isZonedTime(data.startTime) ? data.startTime : new Date(0).toISOString(),
  }),
  "user.message": (data) => ({ ...data, content: wordsOf(data.content) }),
  "assistant.message": (data, { id }) => ({
    ...withoutBrokenSeals(data),
    messageId: typeof data.messageId === "string" ? data.messageId : id,
    content: wordsOf(data.content),
    toolRequests: Array.isArray(data.toolRequests) ? data.toolRequests.flatMap(mendRequest) : [],
  }),
  "tool.execution_start": withCallId,
  "tool.execution_complete": (data) => ({
    ...withCallId(data),
    success: typeof data.success === "boolean" ? data.success : !isJson(data.error),
    ...(data.result === undefined ? {} : { result: mendPart(data.result, "content") }),
    ...(data.error === undefined ? {} : { error: mendPart(data.error, "message") }),
  }),
};

function withoutBrokenSeals(data: Json): Json {
  const kept = Object.entries(data).filter(([name, value]) => !SEALS.includes(name) || !isBrokenSeal(value));
  return Object.fromEntries(kept);
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return content === undefined || content === null ? "" : textOfValue(content);
}

function mendRequest(request: unknown): Json[] {
  if (!isJson(request) || typeof request.toolCallId !== "string") return [];
  return [{ ...withCallId(request), name: typeof request.name === "string" ? request.name : "unknown" }];
}

function withCallId(data: Json): Json {
  return typeof data.toolCallId === "string" ? { ...data, toolCallId: toCallId(data.toolCallId) } : data;
}

function mendPart(part: unknown, key: string): Json {
  return isJson(part) ? { ...part, [key]: wordsOf(part[key]) } : { [key]: wordsOf(part) };
}

/** Copilot refuses a file without a header, and moves a header that is not the first record. */
function mendHeader(draft: RepairDraft, { sessionId, cwd, makers }: RepairContext): void {
  const lines = remainingLines(draft);
  const header = lines.find(({ value }) => value.type === "session.start" && agentIdOf(value) === null);
  if (header !== undefined) {
    if (header !== lines[0]) moveBehind(draft, null, header, "the header is not the first record");
    return;
  }
  const at = lines.map(({ value }) => value.timestamp).find(isZonedTime) ?? new Date(0).toISOString();
  const data = {
    sessionId,
    version: 1,
    producer: "continuo",
    copilotVersion: WRITTEN_VERSION,
    startTime: at,
    ...(cwd === null ? {} : { context: { cwd } }),
  };
  const made = { type: "session.start", data, id: makers.uuid4(), timestamp: at, parentId: null };
  addBehind(draft, null, made, "the header is missing");
}

function mendEnvelopes(draft: RepairDraft, { makers }: RepairContext): void {
  let time =
    remainingLines(draft)
      .map(({ value }) => value.timestamp)
      .find(isZonedTime) ?? new Date(0).toISOString();
  const seen = new Set<string>();
  for (const line of remainingLines(draft)) {
    const { id, timestamp } = line.value;
    if (!isUuid(id) || seen.has(id)) {
      change(
        line,
        { ...line.value, id: makers.uuid4() },
        isUuid(id) ? "an earlier record has its id" : "the id is no UUID",
      );
    }
    seen.add(textOfValue(line.value.id));
    if (isZonedTime(timestamp)) time = timestamp;
    else change(line, { ...line.value, timestamp: time }, "the timestamp is no time with a zone");
  }
}

const LOST_PROMPT = "[The first prompt of this session is lost.]";

/** Adds a prompt before the first answer if the messages for the model begin with an answer. */
function beginWithPrompt(draft: RepairDraft, { makers }: RepairContext): void {
  let speaker: FirstSpeaker = "nobody";
  let first: RecordLine | null = null;
  for (const line of remainingLines(draft)) {
    const before: FirstSpeaker = speaker;
    speaker = firstSpeakerAfter(before, line.value);
    if (speaker === "model" && before !== "model") first = line;
  }
  if (speaker !== "model" || first === null) return;
  const { timestamp, parentId } = first.value;
  const prompt = {
    type: "user.message",
    data: { content: LOST_PROMPT },
    id: makers.uuid4(),
    timestamp,
    parentId: isUuid(parentId) ? parentId : null,
  };
  addBefore(first, prompt, "the session begins with an answer, which the vendor refuses");
}

/** Copilot does not follow links, but refuses invalid ones. */
function relink(draft: RepairDraft): void {
  let last: string | null = null;
  for (const line of remainingLines(draft)) {
    const { parentId } = line.value;
    const isSound = parentId === null || isUuid(parentId);
    if (!isSound) change(line, { ...line.value, parentId: last }, "the parentId is neither a UUID nor null");
    last = filledField(line.value, "id");
  }
}

function isResult({ value }: RecordLine): boolean {
  return value.type === "tool.execution_complete" && !isUserCommand(value);
}

function resultOf({ value }: RecordLine): string {
  return filledField(dataOf(value), "toolCallId") ?? "";
}

function callsOf({ value }: RecordLine): readonly string[] {
  return value.type === "assistant.message" ? callIdsOf(dataOf(value)) : [];
}

/**
 * A call with a damaged id has no result, and its result has no call. If an answer has the same number of both, each
 * result belongs to the call at its position, and gets its id. If the start of the call has the result's id, the call
 * gets that one.
 */
function pairLostResults(draft: RepairDraft): void {
  const lines = remainingLines(draft);
  const called = new Set(lines.flatMap(callsOf));
  const answered = new Set(lines.filter(isResult).map(resultOf));
  const started = new Set(lines.filter(({ value }) => value.type === "tool.execution_start").map(resultOf));
  lines.forEach((answer, at) => {
    const open = callsOf(answer).filter((id) => !answered.has(id));
    if (open.length === 0) return;
    const lost = resultsBehind(lines, at).filter((line) => !called.has(resultOf(line)));
    if (lost.length !== open.length) return;
    lost.forEach((result, place) => {
      const [theirs, ours] = [resultOf(result), open[place] ?? ""];
      const reason = `the call ${ours} has no result, and the result ${theirs} no call`;
      if (started.has(theirs) && !started.has(ours))
        change(answer, withIdOfCall(answer, ours, theirs), reason);
      else change(result, { ...result.value, data: { ...dataOf(result.value), toolCallId: ours } }, reason);
    });
  });
}

/** The results that follow an answer, up to the next answer of the same agent. */
function resultsBehind(lines: readonly RecordLine[], at: number): readonly RecordLine[] {
  const agentId = agentIdOf(lines[at]?.value ?? {});
  const results: RecordLine[] = [];
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next];
    if (line === undefined || agentIdOf(line.value) !== agentId) continue;
    if (line.value.type === "assistant.message") break;
    if (isResult(line)) results.push(line);
  }
  return results;
}

function withIdOfCall({ value }: RecordLine, before: string, id: string): Json {
  const { toolRequests, ...data } = dataOf(value);
  const calls = (Array.isArray(toolRequests) ? toolRequests : []).map((call) =>
    isJson(call) && call.toolCallId === before ? { ...call, toolCallId: id } : call,
  );
  return { ...value, data: { ...data, toolRequests: calls } };
}

function dropLostResults(draft: RepairDraft): void {
  const lines = remainingLines(draft);
  const called = new Set(lines.flatMap((line) => callsOf(line)));
  for (const line of lines) {
    if (!isResult(line) || called.has(resultOf(line))) continue;
    line.droppedResults = 1;
    remove(line, `no call has the id ${resultOf(line)}`);
  }
}

/** A call that was running when the person interrupted it never gets a result. */
function abortedCalls(lines: readonly RecordLine[]): ReadonlySet<string> {
  const aborted = new Set<string>();
  let open = new Set<string>();
  for (const line of lines) {
    for (const id of callsOf(line)) open.add(id);
    if (isResult(line)) open.delete(resultOf(line));
    if (line.value.type !== "abort") continue;
    for (const id of open) aborted.add(id);
    open = new Set();
  }
  return aborted;
}

/** A result comes after the last record of its answer's other results, or else after the answer. */
function closeCalls(draft: RepairDraft, { makers }: RepairContext): void {
  const lines = remainingLines(draft);
  const aborted = abortedCalls(lines);
  const { read, misplaced } = resultsByPlace(lines);
  for (const answer of lines) {
    const calls = callsOf(answer);
    let last = calls.flatMap((id) => read.get(id) ?? []).reduce((a, b) => (a.line > b.line ? a : b), answer);
    for (const id of calls.filter((call) => !read.has(call) && !aborted.has(call))) {
      const result = misplaced.get(id);
      if (result !== undefined) {
        last = moveBehind(draft, last, result, `the result of the call ${id} stands in the wrong place`);
        continue;
      }
      const agentId = agentIdOf(answer.value);
      const record = {
        type: "tool.execution_complete",
        data: { toolCallId: id, success: false, error: { message: NO_RESULT, code: "failure" } },
        ...(agentId === null ? {} : { agentId }),
        id: makers.uuid4(),
        timestamp: answer.value.timestamp,
        parentId: filledField(last.value, "id"),
      };
      last = addBehind(draft, last, record, `the call ${id} has no result`);
    }
  }
}

/** The first result of each call at a place where Copilot reads it, and the first one at any other place. */
interface ResultsByPlace {
  readonly read: ReadonlyMap<string, RecordLine>;
  readonly misplaced: ReadonlyMap<string, RecordLine>;
}

/**
 * A `session.resume` record closes the calls that wait for a result. Copilot does not read a result that comes after
 * it, and does not read every result that comes before its call (tried in 1.0.102).
 */
function resultsByPlace(lines: readonly RecordLine[]): ResultsByPlace {
  const open = new Set<string>();
  const closed = new Set<string>();
  const read = new Map<string, RecordLine>();
  const misplaced = new Map<string, RecordLine>();
  for (const line of lines) {
    for (const id of callsOf(line)) open.add(id);
    if (line.value.type === "session.resume") for (const id of open) closed.add(id);
    if (!isResult(line)) continue;
    const id = resultOf(line);
    const place = open.has(id) && !closed.has(id) ? read : misplaced;
    if (!place.has(id)) place.set(id, line);
  }
  return { read, misplaced };
}

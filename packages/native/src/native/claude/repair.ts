/**
 * Repairs a session of Claude Code: links between lines, calls and their results. Claude Code makes these changes when
 * it resumes a session (2.1.330). The repair makes them in the file, so that other readers see them too, and also links
 * the lines that Claude Code would cut off.
 */

import { isJson, type Json, textField, textOfValue } from "@continuo/files";
import {
  addBefore,
  addBehind,
  change,
  createLinks,
  type Links,
  type NativeRepairer,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
} from "../repairing/index.ts";
import { mendLine } from "./mend-line.ts";
import { INTERRUPTED } from "./model-pairs.ts";
import { contentOf, isChained, isChainType, isSent, isToolResult, isToolUse } from "./records.ts";

export const claudeRepairer: NativeRepairer = {
  agent: "claude",
  mend(draft, context) {
    const links = createLinks(draft, {
      id: "uuid",
      parent: "parentUuid",
      otherParent: "logicalParentUuid",
      isLinked: (record) => isChained(record),
      kindOf: (record) => (record.isSidechain === true ? `sub-agent ${textOfValue(record.agentId)}` : "main"),
      hintOf: (record) => textField(record, "sourceToolAssistantUUID"),
      newId: context.makers.uuid4,
    });
    for (const line of remainingLines(draft)) {
      const { record, reasons } = mendLine(line.value);
      if (reasons.length > 0) change(line, record, reasons.join("; "));
      const flaw = flawOf(line.value);
      if (flaw !== null) links.drop(line, flaw);
    }
    nameSession(draft, context);
    links.complete();
    dropLostResults(draft, links);
    links.relink();
    closeCalls(draft, links, context);
    beginWithPrompts(draft, context);
  },
};

function flawOf(record: Json): string | null {
  if (typeof record.type !== "string") return "a record without a type";
  const isSaid = record.type === "user" || record.type === "assistant";
  return isSaid && contentOf(record) === null ? "a message without content" : null;
}

function nameSession(draft: RepairDraft, { sessionId }: RepairContext): void {
  for (const line of remainingLines(draft)) {
    const named = textField(line.value, "sessionId");
    if (named !== null && named !== sessionId) {
      change(line, { ...line.value, sessionId }, "it names another session");
    }
  }
}

function toolBlocks(record: Json): {
  readonly calls: readonly string[];
  readonly results: readonly string[];
} {
  const content = contentOf(record) ?? [];
  return {
    calls: record.type === "assistant" ? content.filter(isToolUse).map(({ id }) => id) : [],
    results: record.type === "user" ? content.filter(isToolResult).map((block) => block.tool_use_id) : [],
  };
}

/** Removes results whose call is not in the file. */
function dropLostResults(draft: RepairDraft, links: Links): void {
  const called = new Set(remainingLines(draft).flatMap(({ value }) => toolBlocks(value).calls));
  for (const line of remainingLines(draft)) {
    const lost = toolBlocks(line.value).results.filter((id) => !called.has(id));
    if (lost.length === 0) continue;
    const content = (contentOf(line.value) ?? []).filter(
      (block) => !isToolResult(block) || called.has(block.tool_use_id),
    );
    line.droppedResults = lost.length;
    const reason = `no call has the id ${lost.join(", ")}`;
    if (content.length === 0) links.drop(line, reason);
    else change(line, { ...line.value, message: { ...messageOf(line.value), content } }, reason);
  }
}

function messageOf(record: Json): Json {
  return isJson(record.message) ? record.message : {};
}

/**
 * The new results come after the answer and its existing results; lines that followed these then follow the last new
 * result.
 */
function closeCalls(draft: RepairDraft, links: Links, context: RepairContext): void {
  const lines = remainingLines(draft).filter(({ value }) => isChainType(value.type));
  const resultLines = new Map<string, RecordLine[]>();
  for (const line of lines) {
    for (const id of toolBlocks(line.value).results) {
      const others = resultLines.get(id);
      if (others === undefined) resultLines.set(id, [line]);
      else others.push(line);
    }
  }
  for (const group of answersIn(lines)) {
    const open = group.flatMap((line) =>
      toolBlocks(line.value).calls.flatMap((id) => (resultLines.has(id) ? [] : [{ id, line }])),
    );
    if (open.length === 0) continue;
    const calls = group.flatMap(({ value }) => toolBlocks(value).calls);
    const results = new Set(calls.flatMap((id) => resultLines.get(id) ?? []));
    const whole = [...group, ...results];
    const followers = links.followers(whole);
    let last = whole.reduce((a, b) => (a.line > b.line ? a : b));
    for (const { id, line } of open) {
      const record = resultFor(id, line.value, context.makers.uuid4());
      last = addBehind(draft, last, record, `the call ${id} has no result`);
    }
    for (const line of followers) {
      change(line, { ...line.value, parentUuid: last.value.uuid }, "the result before it is new");
    }
  }
}

/** Lines of one answer have one `message.id`. */
function answersIn(lines: readonly RecordLine[]): RecordLine[][] {
  const groups = new Map<string, RecordLine[]>();
  for (const line of lines) {
    if (line.value.type !== "assistant") continue;
    const id = textField(messageOf(line.value), "id") ?? `line ${line.line}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [line]);
    else group.push(line);
  }
  return [...groups.values()];
}

/** The API refuses a conversation that begins with an answer. */
const LOST_PROMPT = "[The first prompt of this session is lost.]";

/** Adds a prompt before each answer of the main session if neither a prompt nor another answer comes before it. */
function beginWithPrompts(draft: RepairDraft, { makers }: RepairContext): void {
  const byId = new Map<unknown, RecordLine>();
  const lines = remainingLines(draft).filter(({ value }) => isChainType(value.type));
  for (const line of lines) byId.set(line.value.uuid, line);
  /** True if a prompt or an answer is on the path to a line, or is the line itself. */
  const begun = new Map<RecordLine, boolean>();
  const isBegun = (start: RecordLine): boolean => {
    const walked: RecordLine[] = [];
    let at: RecordLine | undefined = start;
    while (at !== undefined && !begun.has(at) && !isSent(at.value) && at.value.type !== "assistant") {
      walked.push(at);
      // This avoids endless recursion; circles were already cut.
      begun.set(at, false);
      at = byId.get(at.value.parentUuid ?? at.value.logicalParentUuid ?? null);
    }
    const answer = at !== undefined && (begun.get(at) ?? true);
    for (const line of walked) begun.set(line, answer);
    return answer;
  };
  for (const line of lines) {
    if (line.value.type !== "assistant" || line.value.isSidechain === true) continue;
    const parent = byId.get(line.value.parentUuid ?? null);
    if (parent !== undefined && isBegun(parent)) continue;
    const { timestamp } = line.value;
    const prompt = {
      parentUuid: line.value.parentUuid ?? null,
      ...envelopeOf(line.value),
      type: "user",
      message: { role: "user", content: LOST_PROMPT },
      uuid: makers.uuid4(),
      ...(timestamp === undefined ? {} : { timestamp }),
    };
    addBefore(line, prompt, "the session begins with an answer, which the API refuses");
    change(line, { ...line.value, parentUuid: prompt.uuid }, "the prompt before it is new");
  }
}

const ENVELOPE = [
  "isSidechain",
  "userType",
  "entrypoint",
  "cwd",
  "sessionId",
  "version",
  "gitBranch",
  "slug",
  "agentId",
];

function envelopeOf(record: Json): Json {
  return Object.fromEntries(ENVELOPE.flatMap((key) => (key in record ? [[key, record[key]]] : [])));
}

function resultFor(id: string, call: Json, uuid: string): Json {
  return {
    parentUuid: call.uuid,
    ...envelopeOf(call),
    type: "user",
    message: {
      role: "user",
      content: [{ tool_use_id: id, type: "tool_result", content: INTERRUPTED, is_error: true }],
    },
    uuid,
    ...(call.timestamp === undefined ? {} : { timestamp: call.timestamp }),
    sourceToolAssistantUUID: call.uuid,
  };
}

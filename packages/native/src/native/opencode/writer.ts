/**
 * Writes opencode's sessions: rows of `session`, `message` and `part`, which 1.18.33 reads at its next prompt. A call
 * is a part of its answer, and its result is a later state of that part.
 */

import { join } from "node:path";
import {
  type Block,
  ContinuoError,
  type ThinkingBlock,
  type ToolResultBlock,
  textOf,
  type Usage,
} from "@continuo/core/model";
import { exactOf, isJson, type Json, textField } from "@continuo/files";
import {
  type Addition,
  type Makers,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  refuseBlock,
  type WriterHistory,
} from "../writing/index.ts";
import { SIGNATURE_KEYS } from "./blocks.ts";
import { bringBackRows, withoutReverted } from "./bring-back.ts";
import { bringSubagentRows } from "./bring-subagent.ts";
import { toRow } from "./export-rows.ts";
import { toNewId, toNewSessionId } from "./new-ids.ts";
import { databasePaths, dataFolder } from "./places.ts";
import { objectField } from "./records.ts";
import { insertRow, openRowSink, updateRow } from "./row-sink.ts";
import { toExport } from "./to-export.ts";

/** The version whose rows are written. */
const VERSION = "1.18.33";
const AGENT = "build";

export interface OpencodeTip {
  readonly sessionId: string;
  readonly directory: string;
  /** The time of the last message in milliseconds; the next message must be later. */
  readonly lastMs: number;
  /** The prompt to which the next answer belongs. */
  readonly promptId: string;
  readonly agent: string;
  /** `{ providerID, modelID }`; `null` if nothing names one: the sink then takes the one used last. */
  readonly model: Json | null;
  /** Rows of `part` whose calls wait for a result. */
  readonly waiting: readonly Json[];
}

export const opencodeWriter: NativeWriter<OpencodeTip> = {
  agent: "opencode",
  keepsOneFile: true,
  newSessionId: (makers) => toNewSessionId(makers),
  placeOf: (_session, places) => databasePaths(places)[0] ?? join(dataFolder(places), "opencode.db"),
  locationOf: (sessionFile, sessionId) => `${sessionFile}#${sessionId}`,
  openSink: (sessionFile, sessionId, places) => openRowSink(sessionFile, sessionId, places),
  async slugOf(opened) {
    for await (const { type, value } of opened.entries()) {
      if (type === "session" && isJson(value)) return textField(value, "slug");
    }
    return null;
  },
  openTip: (before) => readTip(before),
  stage: (records) => toExport(records),
  begin: (session) => ({ tip: beginningOf(session), records: [sessionRow(session)] }),
  bringBack: (records, session, makers) => bringBackRows(records, session, makers),
  childRecords: (child, makers) => bringSubagentRows(child, makers),
  beforeMore: (records) => withoutReverted(records),
  rename: (_tip, { sessionId, title }, makers) => ({
    records: [updateRow("session", sessionId, { title, time_updated: makers.now() })],
  }),
  add(tip, message, makers): Addition<OpencodeTip> {
    const given = message.timestamp === undefined ? makers.now() : Date.parse(message.timestamp);
    const timeMs = Math.max(given, tip.lastMs + 1);
    const [first] = message.content;
    const touched = updateRow("session", tip.sessionId, { time_updated: makers.now() });
    if (message.role === "tool" && first?.type === "tool_result") {
      const { row, waiting } = withResult(tip, first, { timeMs, makers });
      const records = [updateRow("part", String(row.id), { data: row.data, time_updated: timeMs }), touched];
      return { tip: { ...tip, waiting }, records, id: String(row.id) };
    }
    const ids = { session_id: tip.sessionId, time_created: timeMs, time_updated: timeMs };
    const id = toNewId("msg", timeMs, 0, makers);
    const model = modelOf(message, message) ?? tip.model;
    const going = { ...tip, model };
    const data = message.role === "user" ? promptInfo(going, timeMs) : answerInfo(going, message, timeMs);
    const parts = message.content.map((block, at): Json => {
      const partId = toNewId("prt", timeMs, at + 1, makers);
      return { id: partId, message_id: id, ...ids, data: toPart(block, message.role, timeMs) };
    });
    const calls = parts.filter(({ data: part }) => isJson(part) && part.type === "tool");
    const records = [
      insertRow("message", { id, ...ids, data }),
      ...parts.map((row) => insertRow("part", row)),
      touched,
    ];
    const promptId = message.role === "user" ? id : tip.promptId;
    return { tip: { ...going, lastMs: timeMs, promptId, waiting: [...tip.waiting, ...calls] }, records, id };
  },
};

function beginningOf({ sessionId, cwd }: NewSession): OpencodeTip {
  const empty = { promptId: "", agent: AGENT, model: null, waiting: [] };
  return { sessionId, directory: cwd, lastMs: 0, ...empty };
}

/** The sink finds the project. */
function sessionRow({ sessionId, cwd, title, createdMs, provenance }: NewSession): Json {
  const named = title ?? `New session - ${new Date(createdMs).toISOString()}`;
  return insertRow("session", {
    id: sessionId,
    slug: sessionId.slice(-8).toLowerCase(),
    directory: cwd,
    path: "",
    title: named,
    version: VERSION,
    time_created: createdMs,
    time_updated: createdMs,
    ...(provenance === undefined ? {} : { metadata: { continuo: provenance } }),
  });
}

/** Errors: `unsupported` while a revert can still be undone, because the next prompt deletes the reverted messages. */
async function readTip({ opened, lastAnswer, lastPrompt }: WriterHistory): Promise<OpencodeTip> {
  const { sessionId, cwd } = opened.details;
  let lastMs = 0;
  const waiting: Json[] = [];
  for await (const { type, value } of opened.entries()) {
    if (!isJson(value)) continue;
    if (value.revert !== undefined && value.revert !== null) throw revertedError(sessionId);
    const row = toRow(exactOf(value));
    const { data } = row;
    if (!isJson(data) || type === "session") continue;
    if (row.message_id === undefined) {
      if (typeof row.time_created === "number") lastMs = Math.max(lastMs, row.time_created);
      continue;
    }
    const { status } = objectField(data, "state");
    if (data.type === "tool" && (status === "running" || status === "pending")) waiting.push(row);
  }
  return {
    sessionId,
    directory: cwd ?? "",
    lastMs,
    promptId: lastPrompt === null ? "" : (textField(flagsOf(lastPrompt), "message") ?? lastPrompt.id),
    agent: lastPrompt === null ? AGENT : (textField(flagsOf(lastPrompt), "agent") ?? AGENT),
    model: modelOf(lastPrompt, lastAnswer),
    waiting,
  };
}

function revertedError(sessionId: string): ContinuoError {
  return new ContinuoError(
    "unsupported",
    `cannot append to session ${sessionId}: it is reverted to an earlier message`,
    {
      hint: "Send a message in opencode, or undo the revert there first.",
    },
  );
}

type MessageFlags = Pick<NewMessage, "metadata" | "model">;

function flagsOf({ metadata }: MessageFlags): Json {
  return isJson(metadata?.opencode) ? metadata.opencode : {};
}

function modelOf(prompt: MessageFlags | null, answer: MessageFlags | null): Json | null {
  const asked = prompt === null ? {} : objectField(flagsOf(prompt), "model");
  if (typeof asked.providerID === "string" && typeof asked.modelID === "string") {
    return { providerID: asked.providerID, modelID: asked.modelID };
  }
  const providerID = answer === null ? null : textField(flagsOf(answer), "providerID");
  return providerID === null || answer?.model === undefined ? null : { providerID, modelID: answer.model };
}

function promptInfo(tip: OpencodeTip, timeMs: number): Json {
  const model = tip.model === null ? {} : { model: tip.model };
  return { role: "user", time: { created: timeMs }, agent: tip.agent, ...model };
}

function answerInfo(tip: OpencodeTip, message: NewMessage, timeMs: number): Json {
  const { content, usage, model } = message;
  const calls = content.some((block) => block.type === "tool_call");
  const named = tip.model ?? {};
  return {
    role: "assistant",
    parentID: tip.promptId,
    mode: tip.agent,
    agent: tip.agent,
    path: { cwd: tip.directory, root: tip.directory },
    cost: usage?.costUsd ?? 0,
    tokens: toTokens(usage ?? { inputTokens: 0, outputTokens: 0 }),
    ...(model === undefined ? named : { ...named, modelID: model }),
    time: { created: timeMs, completed: timeMs },
    finish: calls ? "tool-calls" : "stop",
  };
}

/** opencode counts reasoning apart from output. */
function toTokens(usage: Usage): Json {
  const reasoning = usage.reasoningTokens ?? 0;
  return {
    ...(usage.totalTokens === undefined ? {} : { total: usage.totalTokens }),
    input: usage.inputTokens,
    output: usage.outputTokens - reasoning,
    reasoning,
    cache: { read: usage.cacheReadTokens ?? 0, write: usage.cacheWriteTokens ?? 0 },
  };
}

function toPart(block: Block, role: NewMessage["role"], timeMs: number): Json {
  const time = { start: timeMs, end: timeMs };
  const isAnswer = role === "assistant";
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...(isAnswer ? { time } : {}) };
    case "image":
    case "file":
      return isAnswer ? refuseBlock("opencode", block, "an answer") : toFile(block);
    case "thinking":
      if (!isAnswer) return refuseBlock("opencode", block, "a prompt");
      return { type: "reasoning", text: block.text, time, ...signedOf(block) };
    case "tool_call": {
      const state = { status: "running", input: block.args, time: { start: timeMs } };
      return { type: "tool", tool: block.name, callID: block.id, state, ...signaturesIn(block.native) };
    }
    default:
      return refuseBlock("opencode", block, isAnswer ? "an answer" : "a prompt");
  }
}

function signedOf({ signature, data, signedBy }: ThinkingBlock): Json {
  if (signedBy === undefined) return {};
  if (data !== undefined && signedBy === "anthropic")
    return { metadata: { anthropic: { redactedData: data } } };
  if (signature === undefined) return {};
  const key =
    signedBy === "openai"
      ? "reasoningEncryptedContent"
      : signedBy === "google"
        ? "thoughtSignature"
        : "signature";
  return { metadata: { [signedBy]: { [key]: signature } } };
}

/**
 * Returns only the signature of opencode's own record of a call, under the vendor's name; thinking has it in the same
 * form.
 */
function signaturesIn(part: unknown): Json {
  if (!isJson(part) || part.type !== "tool") return {};
  const signed = Object.entries(objectField(part, "metadata")).flatMap(([vendor, fields]) => {
    const kept = SIGNATURE_KEYS.flatMap((key) =>
      isJson(fields) && typeof fields[key] === "string" ? [[key, fields[key]] as const] : [],
    );
    return kept.length === 0 ? [] : [[vendor, Object.fromEntries(kept)] as const];
  });
  return signed.length === 0 ? {} : { metadata: Object.fromEntries(signed) };
}

function toFile(block: Block & { readonly type: "image" | "file" }): Json {
  const { mimeType, data, url } = block;
  const address = data === undefined ? url : `data:${mimeType};base64,${data}`;
  if (address === undefined) return refuseBlock("opencode", block, "a message");
  const name = block.type === "file" && block.name !== undefined ? { filename: block.name } : {};
  return { type: "file", mime: mimeType, url: address, ...name };
}

interface ResultPlace {
  readonly timeMs: number;
  readonly makers: Makers;
}

interface WithResult {
  readonly row: Json;
  readonly waiting: readonly Json[];
}

function withResult(tip: OpencodeTip, result: ToolResultBlock, { timeMs, makers }: ResultPlace): WithResult {
  const isCall = ({ data }: Json): boolean => isJson(data) && data.callID === result.toolCallId;
  const row = tip.waiting.findLast(isCall);
  if (row === undefined) throw new Error(`no part holds the call ${result.toolCallId}`);
  const data = objectField(row, "data");
  const before = objectField(data, "state");
  const start = objectField(before, "time").start ?? timeMs;
  const text = textOf(result.content);
  const attachments = result.content
    .filter((block) => block.type !== "text")
    .map((block, at): Json => {
      if (block.type !== "image" && block.type !== "file")
        return refuseBlock("opencode", block, "a tool result");
      const id = toNewId("prt", timeMs, at + 1, makers);
      return { id, sessionID: tip.sessionId, messageID: row.message_id, ...toFile(block) };
    });
  const files = attachments.length === 0 ? {} : { attachments };
  const { input } = before;
  const said = result.isError
    ? { status: "error", input, error: text }
    : { status: "completed", input, output: text, title: "", metadata: {} };
  const state = { ...said, time: { start, end: timeMs }, ...files };
  return {
    row: { ...row, data: { ...data, state } },
    waiting: tip.waiting.filter((each) => each !== row),
  };
}

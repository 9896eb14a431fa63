/**
 * Writes Gemini CLI's sessions (0.61.0). A result has no record of its own: the answer is written again,
 * under its id, with the result next to the call.
 *
 * The name of a new file ends in the whole id. If a name ends in only eight letters or digits, Gemini CLI deletes the
 * file together with a broken one whose name has the same ending.
 */

import { basename, join } from "node:path";
import type { Block, TextBlock, ToolCallBlock, ToolResultBlock, Usage } from "@continuo/core/model";
import {
  canonicalFolder,
  idInPath,
  isJson,
  type Json,
  namesIn,
  type Places,
  textOfValue,
} from "@continuo/files";

import {
  type Addition,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  openLineSink,
  refuseBlock,
  type SideFile,
  type WriterHistory,
} from "../writing/index.ts";
import { bringBackLines, bringSubagent } from "./bring-back.ts";
import {
  geminiFolders,
  hashOf,
  isHashName,
  ownerOf,
  projectNamesOf,
  projectOfFile,
  readRegistry,
} from "./places.ts";
import { callsIn, listField, resultsIn } from "./records.ts";

export interface GeminiTip {
  /** Answers with calls that wait for a result, newest last. */
  readonly waiting: readonly Json[];
  /** The time of the newest message, ISO 8601; `null` before the first one. */
  readonly newest: string | null;
}

export const geminiWriter: NativeWriter<GeminiTip> = {
  agent: "gemini",
  newSessionId: (makers) => makers.uuid4(),
  placeOf: (session, places) => join(projectFolder(session.cwd, places), "chats", fileNameOf(session)),
  locationOf: (sessionFile) => sessionFile,
  openSink: async (sessionFile) => openLineSink(sessionFile),
  async slugOf(_opened, sessionFile) {
    const project = projectOfFile(sessionFile);
    return project === null || isHashName(basename(project)) ? null : basename(project);
  },
  openTip: (before) => readTip(before),
  begin: (session) => ({ tip: { waiting: [], newest: null }, records: [metadataOf(session)] }),
  bringBack: (records, session) => bringBackLines(records, session, hashOf(canonicalFolder(session.cwd))),
  childFiles: bringSubagent,
  besideNew: ownerMark,
  rename: (_tip, { title }) => ({ records: [{ $set: { summary: title } }] }),
  add(tip, message, makers): Addition<GeminiTip> {
    const timestamp = notBefore(tip.newest, message.timestamp ?? new Date(makers.now()).toISOString());
    const changed = { $set: { lastUpdated: new Date(makers.now()).toISOString() } };
    const [first] = message.content;
    if (message.role === "tool" && first?.type === "tool_result") {
      const { tip: after, record, id } = addResult(tip, first, timestamp);
      return { tip: after, records: [record, changed], id };
    }
    const id = makers.uuid4();
    const record =
      message.role === "user"
        ? { id, timestamp, type: "user", content: message.content.map(toPart) }
        : answerOf(message, id, timestamp);
    const isWaiting = listField(record, "toolCalls").length > 0;
    const waiting = isWaiting ? [...tip.waiting, record] : tip.waiting;
    return { tip: { waiting, newest: timestamp }, records: [record, changed], id };
  },
};

/**
 * Returns a time that is not before `newest`. The messages that an agent kept of a compacted session are older than the
 * summary before them, but lines whose times go back count as damage.
 */
function notBefore(newest: string | null, time: string): string {
  return newest !== null && Date.parse(time) < Date.parse(newest) ? newest : time;
}

function metadataOf({ sessionId, cwd, title, createdMs, provenance }: NewSession): Json {
  const time = new Date(createdMs).toISOString();
  return {
    sessionId,
    projectHash: hashOf(canonicalFolder(cwd)),
    startTime: time,
    lastUpdated: time,
    kind: "main",
    ...(title === null ? {} : { summary: title }),
    ...(provenance === undefined ? {} : { continuo: provenance }),
  };
}

const MINUTE_MS = 60_000;

/**
 * The name has the minute before, because Gemini CLI 0.61.0 empties a session that it resumes in the minute of its
 * name.
 */
function fileNameOf({ sessionId, createdMs }: NewSession): string {
  const minute = new Date(createdMs - MINUTE_MS)
    .toISOString()
    .slice(0, "2026-11-21T20:55".length)
    .replace(":", "-");
  return `session-${minute}-${idInPath(sessionId)}.jsonl`;
}

/** The folder that Gemini CLI uses for a cwd, or the one that it would use. */
function projectFolder(cwd: string, places: Places): string {
  const folders = geminiFolders(places);
  const folder = canonicalFolder(cwd);
  const registered = readRegistry(folders.runtime).get(folder);
  const known = registered ?? projectNamesOf(folders, folder).find((name) => name !== hashOf(folder));
  return join(folders.projects, known ?? freeName(folders.projects, folder));
}

function freeName(projects: string, folder: string): string {
  const slug = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-+|-+$/gu, "");
  const base = slug === "" ? "project" : slug;
  const taken = new Set(namesIn(projects).filter((name) => ownerOf(join(projects, name)) !== folder));
  for (let count = 0; ; count++) {
    const name = count === 0 ? base : `${base}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** If the registry does not contain a cwd, Gemini CLI finds the folder of the cwd by this mark. */
function ownerMark(session: NewSession, sessionFile: string): readonly SideFile[] {
  const project = projectOfFile(sessionFile);
  if (project === null) return [];
  return [{ how: "create", path: join(project, ".project_root"), text: canonicalFolder(session.cwd) }];
}

async function readTip({ opened }: WriterHistory): Promise<GeminiTip> {
  const waiting = new Map<string, Json>();
  let newest: string | null = null;
  for await (const { file, value } of opened.entries()) {
    if (file !== undefined || !isJson(value)) continue;
    const records = isJson(value.$set) ? listField(value.$set, "messages") : [value];
    for (const record of records) {
      if (isJson(record) && typeof record.id === "string") newest = laterOf(newest, record.timestamp);
      if (!isJson(record) || record.type !== "gemini" || typeof record.id !== "string") continue;
      waiting.delete(record.id);
      if (openCallIds(record).length > 0) waiting.set(record.id, record);
    }
  }
  return { waiting: [...waiting.values()], newest };
}

function laterOf(newest: string | null, time: unknown): string | null {
  return typeof time === "string" && !Number.isNaN(Date.parse(time)) ? notBefore(newest, time) : newest;
}

function openCallIds(record: Json): string[] {
  const answered = new Set(resultsIn(record).map((result) => result.callId));
  return callsIn(record)
    .map(({ id }) => id)
    .filter((id) => !answered.has(id));
}

function answerOf({ content, usage, model }: NewMessage, id: string, timestamp: string): Json {
  const said = content.filter(({ type }) => type === "text" || type === "image");
  const [only] = said;
  const isText = said.length === 1 && only?.type === "text" && only.signature === undefined;
  const calls = content.filter((block) => block.type === "tool_call");
  const thoughts = content.flatMap((block) =>
    block.type === "thinking" ? [{ subject: "", description: block.text, timestamp }] : [],
  );
  const toolCalls = calls.map((call) => ({ ...toCall(call), result: null, status: "executing", timestamp }));
  for (const block of content) {
    if (!["text", "image", "thinking", "tool_call"].includes(block.type))
      refuseBlock("Gemini CLI", block, "an answer");
  }
  // A record in `toolCalls` has no field for a signature. If one call is a part, no other call is sent.
  const isSigned = calls.some(({ signature }) => signature !== undefined);
  const parts = isSigned ? content.filter(({ type }) => type !== "thinking") : said;
  return {
    id,
    timestamp,
    type: "gemini",
    content: isText && !isSigned ? only.text : parts.length === 0 ? "" : parts.map(toAnswerPart),
    thoughts,
    ...(usage === undefined ? {} : { tokens: toTokens(usage) }),
    ...(model === undefined ? {} : { model }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function toCall({ id, name, args }: ToolCallBlock): Json {
  return { id: recordedId(name, id), name, args };
}

/** Gemini CLI records a call as `NAME__ID`, and sends it as `ID`. */
export function recordedId(name: string, id: string): string {
  return id.startsWith(`${name}__`) ? id : `${name}__${id}`;
}

interface ResultAddition {
  readonly tip: GeminiTip;
  readonly record: Json;
  readonly id: string;
}

function addResult(tip: GeminiTip, result: ToolResultBlock, timestamp: string): ResultAddition {
  const isCalled = (id: string, name: string): boolean =>
    id === result.toolCallId || id === recordedId(name, result.toolCallId);
  const before = tip.waiting.findLast((record) => callsIn(record).some(({ id, name }) => isCalled(id, name)));
  if (before === undefined) throw new Error(`no answer holds the call ${result.toolCallId}`);
  let at = -1;
  const toolCalls = listField(before, "toolCalls").map((call, position) => {
    if (!isJson(call) || !isCalled(textOfValue(call.id), textOfValue(call.name))) return call;
    at = position;
    return {
      ...call,
      status: result.isError ? "error" : "success",
      timestamp,
      result: toResult(call, result),
    };
  });
  const record = { ...before, toolCalls };
  const others = tip.waiting.filter((each) => each !== before);
  const waiting = openCallIds(record).length > 0 ? [...others, record] : others;
  // Results are numbered after the answer itself.
  return { tip: { ...tip, waiting }, record, id: `${textOfValue(before.id)}#${at + 2}` };
}

/** The text is in the response, and pictures are in the parts after it. */
function toResult(call: Json, result: ToolResultBlock): Json[] {
  const text = result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  const response = result.isError ? { error: text } : { output: text };
  const media = result.content.filter((block) => block.type !== "text").map(toPart);
  return [{ functionResponse: { id: call.id, name: call.name, response } }, ...media];
}

function toAnswerPart(block: Block): Json {
  return block.type === "tool_call" ? { functionCall: toCall(block), ...signatureOf(block) } : toPart(block);
}

function signatureOf({ signature }: TextBlock | ToolCallBlock): Json {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function toPart(block: Block): Json {
  if (block.type === "text") return { text: block.text, ...signatureOf(block) };
  if (block.type !== "image" && block.type !== "file") return refuseBlock("Gemini CLI", block, "a message");
  const { mimeType, data, url } = block;
  if (data !== undefined) return { inlineData: { mimeType, data } };
  return url === undefined
    ? refuseBlock("Gemini CLI", block, "a message")
    : { fileData: { mimeType, fileUri: url } };
}

/** Gemini counts cached input as input, and thoughts not as output. */
function toTokens(usage: Usage): Json {
  const cached = usage.cacheReadTokens ?? 0;
  const thoughts = usage.reasoningTokens ?? 0;
  const input = usage.inputTokens + cached;
  const output = usage.outputTokens - thoughts;
  const total = usage.totalTokens ?? input + usage.outputTokens;
  return { input, output, cached, thoughts, tool: 0, total };
}

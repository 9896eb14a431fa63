/**
 * Writes sessions of Copilot: records after the last one of the file, each of which names the one before it (1.0.102).
 *
 * A record contains only one text, so a message with several texts becomes several records. Thinking is written as the
 * vendor's blocks if the vendor is known, because Copilot sends only those back; else as a text that it shows.
 */

import { isAbsolute, join, resolve } from "node:path";
import type { Block, ThinkingBlock, ToolCallBlock } from "@continuo/core/model";
import { idInPath, isJson, type Json, readSmallFile, writeDurably } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import {
  type Addition,
  type KeptRecord,
  type Makers,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  openLineSink,
  refuseBlock,
  type SideFile,
  type WriterHistory,
} from "../writing/index.ts";
import { EVENTS, sessionsFolder } from "./places.ts";
import { agentIdOf, filledField, parseHeader } from "./records.ts";
import { noteOf, withName, workspaceFile } from "./workspace.ts";

/** The version of Copilot whose form is written. */
export const WRITTEN_VERSION = "1.0.102";

export interface CopilotTip {
  /** The id of the last record. */
  readonly last: string | null;
}

export const copilotWriter: NativeWriter<CopilotTip> = {
  agent: "copilot",
  // Copilot opens only sessions whose id is a UUID, and gives its own sessions a UUID of version 4.
  newSessionId: (makers) => makers.uuid4(),
  placeOf: ({ sessionId }, places) => join(sessionsFolder(places), idInPath(sessionId), EVENTS),
  locationOf: (sessionFile) => sessionFile,
  openSink: async (sessionFile) => openLineSink(sessionFile),
  openTip: (before) => readTip(before),
  begin(session, makers) {
    const header = headerOf(session, makers);
    return { tip: { last: filledField(header, "id") }, records: [header] };
  },
  besideNew: noteBeside,
  bringBack: (records, session) => broughtBack(records, session),
  rename: () => ({ records: [] }),
  async retitle({ sessionId, sessionFile, title }) {
    const path = workspaceFile(sessionFile);
    const note = readSmallFile(path) ?? noteOf({ id: sessionId, ...(await factsIn(sessionFile)) });
    writeDurably(path, withName(note, title));
  },
  add(tip, message, makers): Addition<CopilotTip> {
    const at = message.timestamp ?? new Date(makers.now()).toISOString();
    const records: Json[] = [];
    let { last } = tip;
    for (const { type, data } of bodiesOf(message, makers)) {
      const id = makers.uuid4();
      records.push({ type, data, id, timestamp: at, parentId: last });
      last = id;
    }
    return { tip: { last }, records, id: last ?? "" };
  },
};

export function headerOf(session: NewSession, makers: Makers): Json {
  const { sessionId, cwd, gitBranch, createdMs, provenance } = session;
  const at = new Date(createdMs).toISOString();
  const folder = isAbsolute(cwd) ? cwd : resolve(cwd);
  return {
    type: "session.start",
    data: {
      sessionId,
      version: 1,
      producer: "continuo",
      copilotVersion: WRITTEN_VERSION,
      startTime: at,
      context: { cwd: folder, ...(gitBranch === null ? {} : { branch: gitBranch }) },
      ...(provenance === undefined ? {} : { continuo: provenance }),
    },
    id: makers.uuid4(),
    timestamp: at,
    parentId: null,
  };
}

/** Without `workspace.yaml`, Copilot would name the session by the next prompt. */
function noteBeside(session: NewSession, sessionFile: string): readonly SideFile[] {
  if (session.title === null) return [];
  const { sessionId: id, cwd, createdMs, title } = session;
  const note = noteOf({ id, cwd, createdAt: new Date(createdMs).toISOString() });
  return [{ how: "create", path: workspaceFile(sessionFile), text: withName(note, title) }];
}

async function factsIn(sessionFile: string): Promise<{ cwd: string | null; createdAt: string | null }> {
  using lines = openLines(sessionFile, 0);
  for await (const records of lines.scan()) {
    for (const { value } of records) {
      const header = parseHeader(value);
      if (header !== null) return { cwd: header.cwd, createdAt: header.createdAt };
    }
    break;
  }
  return { cwd: null, createdAt: null };
}

function broughtBack(
  records: readonly KeptRecord[],
  { sessionId, cwd, provenance }: NewSession,
): Json[] | null {
  const values = records.flatMap(({ value }) => (isJson(value) ? [value] : []));
  const at = values.findIndex((value) => parseHeader(value) !== null && agentIdOf(value) === null);
  const header = values[at];
  if (header === undefined || !isJson(header.data)) return null;
  const { context, continuo: _earlier, ...data } = header.data;
  const moved = {
    ...header,
    data: {
      ...data,
      sessionId,
      context: { ...(isJson(context) ? context : {}), cwd: resolve(cwd) },
      ...(provenance === undefined ? {} : { continuo: provenance }),
    },
  };
  return values.with(at, moved);
}

async function readTip({ opened }: WriterHistory): Promise<CopilotTip> {
  let last: string | null = null;
  for await (const { id } of opened.entries()) if (id !== null) last = id;
  return { last };
}

interface Body {
  readonly type: string;
  readonly data: Json;
}

function bodiesOf(message: NewMessage, makers: Makers): Body[] {
  const [first] = message.content;
  if (message.role === "user") return promptsOf(message.content);
  if (message.role !== "tool" || first?.type !== "tool_result") return answersOf(message, makers);
  const start = {
    toolCallId: first.toolCallId,
    toolName: message.toolName ?? "",
    arguments: message.toolInput ?? {},
  };
  return [
    { type: "tool.execution_start", data: start },
    { type: "tool.execution_complete", data: resultOf(first) },
  ];
}

/** The files belong to the last text. */
function promptsOf(content: readonly Block[]): Body[] {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const attachments = content.flatMap((block) => (block.type === "text" ? [] : [toAttachment(block)]));
  const prompts = texts.length === 0 ? [""] : texts;
  return prompts.map((text, at) => ({
    type: "user.message",
    data: {
      content: text,
      ...(at === prompts.length - 1 && attachments.length > 0 ? { attachments } : {}),
    },
  }));
}

function toAttachment(block: Block): Json {
  if (block.type !== "image" || block.data === undefined) return refuseBlock("copilot", block, "a prompt");
  return { type: "blob", data: block.data, mimeType: block.mimeType };
}

function resultOf({ toolCallId, content, isError }: Block & { readonly type: "tool_result" }): Json {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const binaries = content.flatMap((block) => (block.type === "text" ? [] : [toBinary(block)]));
  const text = texts.join("\n\n");
  if (isError) return { toolCallId, success: false, error: { message: text, code: "failure" } };
  const pictures = binaries.length === 0 ? {} : { binaryResultsForLlm: binaries };
  return { toolCallId, success: true, result: { content: text, ...pictures } };
}

function toBinary(block: Block): Json {
  if (block.type !== "image" || block.data === undefined)
    return refuseBlock("copilot", block, "a tool result");
  return { type: "image", data: block.data, mimeType: block.mimeType };
}

/** Thinking belongs to the first text, the calls to the last one. */
function answersOf({ content, model }: NewMessage, makers: Makers): Body[] {
  const texts: string[] = [];
  const thoughts: ThinkingBlock[] = [];
  const calls: ToolCallBlock[] = [];
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "thinking") thoughts.push(block);
    else if (block.type === "tool_call") calls.push(block);
    else refuseBlock("copilot", block, "an answer");
  }
  const answers = texts.length === 0 ? [""] : texts;
  return answers.map((text, at) => ({
    type: "assistant.message",
    data: {
      messageId: makers.uuid4(),
      ...(model === undefined ? {} : { model }),
      content: text,
      toolRequests: at === answers.length - 1 ? calls.map(toRequest) : [],
      ...(at === 0 ? reasoningOf(thoughts) : {}),
    },
  }));
}

function toRequest({ id, name, args, rawArgs, native }: ToolCallBlock): Json {
  const isCustom = rawArgs !== undefined && isJson(native) && native.type === "custom";
  return {
    toolCallId: id,
    name,
    arguments: isCustom ? rawArgs : args,
    type: isCustom ? "custom" : "function",
  };
}

/** Blocks of an unknown provider are kept, and never sent. */
function reasoningOf(thoughts: readonly ThinkingBlock[]): Json {
  if (thoughts.length === 0) return {};
  const text = thoughts.map((thought) => thought.text).join("\n\n");
  const shown = text === "" ? {} : { reasoningText: text };
  const isSigned = thoughts.every(({ signedBy }) => signedBy === "anthropic");
  const [only] = thoughts;
  if (!isSigned && thoughts.length === 1 && only?.redacted !== true) {
    return { ...shown, ...(only?.signature === undefined ? {} : { reasoningOpaque: only.signature }) };
  }
  const provider = isSigned ? "anthropic-messages" : "continuo";
  return { ...shown, reasoningBlocks: { provider, blocks: thoughts.map(toReasoning) } };
}

function toReasoning({ text, signature, redacted, data }: ThinkingBlock): Json {
  if (redacted === true) return { type: "redacted_thinking", data: data ?? signature ?? "" };
  return { type: "thinking", thinking: text, ...(signature === undefined ? {} : { signature }) };
}

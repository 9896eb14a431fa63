/**
 * Writes pi's sessions: one entry a message, after the last entry of the file, which is the leaf. New entries have
 * version 3, which 0.73.1, 0.87.1 and 1.5.2 read; 0.73.1 needs a `usage` on every answer.
 */

import { join, resolve } from "node:path";
import { type Block, ContinuoError, type ThinkingBlock, type Usage } from "@continuo/core/model";
import {
  canonicalFolder,
  idInPath,
  isJson,
  type Json,
  type Places,
  textField,
  textOfValue,
} from "@continuo/files";

import {
  type Addition,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  openLineSink,
  refuseBlock,
  type WriterHistory,
} from "../writing/index.ts";
import { bringBackEntries, type EntryLink } from "./bring-back.ts";
import { migrated, VERSION } from "./migrate.ts";
import { folderNameOf, piFolders } from "./places.ts";

export interface PiTip {
  readonly leaf: string | null;
  /** `api`, `provider` and `model` of the last answer; the next one has the same model. */
  readonly model: Json;
}

export const piWriter: NativeWriter<PiTip> = {
  agent: "pi",
  newSessionId: (makers) => makers.uuid(),
  placeOf: (session, places) => join(sessionFolder(session.cwd, places), fileNameOf(session)),
  locationOf: (sessionFile) => sessionFile,
  openSink: async (sessionFile) => openLineSink(sessionFile),
  openTip: (before) => readTip(before),
  begin(session, makers) {
    const timestamp = new Date(session.createdMs).toISOString();
    const { sessionId: id, cwd, title, provenance } = session;
    const from = provenance === undefined ? {} : { continuo: provenance };
    const header = { type: "session", version: VERSION, id, timestamp, cwd: resolve(cwd), ...from };
    const tip = { leaf: null, model: {} };
    if (title === null) return { tip, records: [header] };
    const named = titleEntry(title, { id: makers.hex(8), parentId: null, timestamp });
    return { tip: { ...tip, leaf: textOfValue(named.id) }, records: [header, named] };
  },
  bringBack(records, session, makers) {
    const back = bringBackEntries(records, session);
    if (back === null || session.title === null) return back?.entries ?? null;
    const timestamp = new Date(session.createdMs).toISOString();
    const link = { ...back.link(makers.hex(8)), timestamp };
    return [...back.entries, titleEntry(session.title, link)];
  },
  upgrade(records, makers) {
    const upgraded = migrated(records, makers);
    return upgraded === records ? null : upgraded;
  },
  beforeMore: (records, makers) => migrated(records, makers),
  rename(tip, { title }, makers) {
    const timestamp = new Date(makers.now()).toISOString();
    return { records: [titleEntry(title, { id: makers.hex(8), parentId: tip.leaf, timestamp })] };
  },
  add(tip, message, makers): Addition<PiTip> {
    const id = makers.hex(8);
    const timestamp = message.timestamp ?? new Date(makers.now()).toISOString();
    const body: Json = { ...bodyOf(message, tip), timestamp: Date.parse(timestamp) };
    const entry = { type: "message", id, parentId: tip.leaf, timestamp, message: body };
    const model = message.role === "assistant" ? modelIn(body) : tip.model;
    return { tip: { ...tip, leaf: id, model }, records: [entry], id };
  },
};

/** The last entry of this type on the path names the session. */
function titleEntry(title: string, link: EntryLink): Json {
  return { type: "session_info", ...link, name: title };
}

function sessionFolder(cwd: string, places: Places): string {
  const { chosen, sessions } = piFolders(places);
  return chosen ?? join(sessions, folderNameOf(canonicalFolder(cwd)));
}

function fileNameOf({ sessionId, createdMs }: NewSession): string {
  return `${new Date(createdMs).toISOString().replace(/[:.]/gu, "-")}_${idInPath(sessionId)}.jsonl`;
}

/** Errors: `unsupported` for a version that pi rewrites, with ids of its own, when it opens the file. */
async function readTip({ opened }: WriterHistory): Promise<PiTip> {
  let leaf: string | null = null;
  let model: Json = {};
  let version: unknown;
  for await (const { type, id, value } of opened.entries()) {
    if (!isJson(value)) continue;
    if (type === "session" && version === undefined) version = value.version ?? 1;
    if (type !== "session" && id !== null) leaf = id;
    const { message } = value;
    if (isJson(message) && message.role === "assistant") model = modelIn(message);
  }
  if (version === VERSION) return { leaf, model };
  throw new ContinuoError(
    "unsupported",
    `cannot change the session: it has version ${version} of pi's format`,
    {
      hint: "Open it once in pi, which updates it to version 3.",
    },
  );
}

function modelIn(message: Json): Json {
  const named: Record<string, string> = {};
  for (const key of ["api", "provider", "model"]) {
    const value = textField(message, key);
    if (value !== null) named[key] = value;
  }
  return named;
}

function bodyOf(message: NewMessage, tip: PiTip): Json {
  const { role, content, usage, model, metadata } = message;
  const [first] = content;
  if (role === "user") return { role, content: content.map((block) => toSaid(block, "a prompt")) };
  if (role === "tool" && first?.type === "tool_result") {
    return {
      role: "toolResult",
      toolCallId: first.toolCallId,
      toolName: message.toolName ?? "",
      content: first.content.map((block) => toSaid(block, "a tool result")),
      isError: first.isError,
      ...(first.details === undefined ? {} : { details: first.details }),
    };
  }
  const calls = content.some((block) => block.type === "tool_call");
  return {
    role: "assistant",
    content: content.map(toAnswered),
    ...tip.model,
    ...(isJson(metadata?.pi) ? modelIn(metadata.pi) : {}),
    ...(model === undefined ? {} : { model }),
    usage: toNativeUsage(usage ?? { inputTokens: 0, outputTokens: 0 }),
    stopReason: calls ? "toolUse" : "stop",
  };
}

function toSaid(block: Block, where: string): Json {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type !== "image" || block.data === undefined) return refuseBlock("pi", block, where);
  return { type: "image", data: block.data, mimeType: block.mimeType };
}

function toAnswered(block: Block): Json {
  switch (block.type) {
    case "text":
      return {
        type: "text",
        text: block.text,
        ...(block.signature === undefined ? {} : { textSignature: block.signature }),
      };
    case "thinking":
      return toThinking(block);
    case "tool_call":
      return {
        type: "toolCall",
        id: block.id,
        name: block.name,
        arguments: block.args,
        ...(block.signature === undefined ? {} : { thoughtSignature: block.signature }),
      };
    default:
      return refuseBlock("pi", block, "an answer");
  }
}

function toThinking({ text, signature, redacted, data, native }: ThinkingBlock): Json {
  if (isJson(native) && native.type === "text") return native;
  const sealed = redacted === true ? (data ?? signature) : signature;
  return {
    type: "thinking",
    thinking: text,
    ...(sealed === undefined ? {} : { thinkingSignature: sealed }),
    ...(redacted === true ? { redacted } : {}),
  };
}

function toNativeUsage(usage: Usage): Json {
  const { inputTokens: input, outputTokens: output } = usage;
  const cacheRead = usage.cacheReadTokens ?? 0;
  const cacheWrite = usage.cacheWriteTokens ?? 0;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(usage.reasoningTokens === undefined ? {} : { reasoning: usage.reasoningTokens }),
    totalTokens: usage.totalTokens ?? input + output + cacheRead + cacheWrite,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: usage.costUsd ?? 0 },
  };
}

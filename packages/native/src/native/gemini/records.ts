/**
 * The records of a session file, and functions that read one record. Seen in 0.61.0.
 *
 * The first of these rules that fits decides the kind of a record, as in Gemini CLI:
 * `$rewindTo` (text), `id` (text: a message), `$set` (object), `sessionId` and `projectHash` (texts: metadata).
 */

import { isJson, type Json, textField, textOfValue } from "@continuo/files";

export type RecordKind = "rewind" | "message" | "set" | "metadata" | "unknown";

export function kindOf(value: unknown): RecordKind {
  if (!isJson(value)) return "unknown";
  if (typeof value.$rewindTo === "string") return "rewind";
  if (typeof value.id === "string") return "message";
  if (typeof value.$set === "object" && value.$set !== null) return "set";
  if (typeof value.sessionId === "string" && isHead(value)) return "metadata";
  return "unknown";
}

/** A file that is one object needs no `projectHash`. */
function isHead(value: Json): boolean {
  return typeof value.projectHash === "string" || Array.isArray(value.messages);
}

/** Returns the metadata in a record: the record itself for metadata, its `$set` for an update. */
export function metadataIn(value: Json, kind: RecordKind): Json | null {
  if (kind === "metadata") return value;
  return kind === "set" && isJson(value.$set) ? value.$set : null;
}

/** The messages that a record carries as a list; `null` if it carries none. */
export function listIn(value: Json, kind: RecordKind): readonly unknown[] | null {
  const messages = metadataIn(value, kind)?.messages;
  return Array.isArray(messages) ? messages : null;
}

/** Every message type that 0.61.0 writes. Others are kept verbatim and counted. */
const MESSAGE_TYPES: Readonly<Record<string, string>> = {
  user: "text that the person typed, results of tools, or text for the model",
  gemini: "one answer",
  info: "shown to the person",
  warning: "shown to the person",
  error: "shown to the person",
};

export function isKnownType(type: unknown): boolean {
  return typeof type === "string" && Object.hasOwn(MESSAGE_TYPES, type);
}

/** `content` as a list of parts. The file has a text, one part, or a list of parts. */
export function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (typeof content === "string") return content === "" ? [] : [content];
  return isJson(content) ? [content] : [];
}

/** The text of a part that has only text; `null` for any other part. */
export function textOfPart(part: unknown): string | null {
  if (typeof part === "string") return part;
  if (!isJson(part) || OTHER_PARTS.some((key) => part[key] !== undefined)) return null;
  return textField(part, "text") ?? "";
}

const OTHER_PARTS = [
  "videoMetadata",
  "thought",
  "codeExecutionResult",
  "executableCode",
  "fileData",
  "functionCall",
  "functionResponse",
  "inlineData",
] as const;

export interface FunctionResponse extends Json {
  readonly functionResponse: Json;
}

export function isResponse(part: unknown): part is FunctionResponse {
  return isJson(part) && isJson(part.functionResponse);
}

/** True for a user message that has only results of tools, and pictures and files that belong to them. */
export function isResponses(message: Json): boolean {
  if (message.type !== "user") return false;
  const parts = partsOf(message.content);
  return isResponse(parts[0]) && parts.every((part) => isResponse(part) || textOfPart(part) === null);
}

/** A call that a `gemini` message makes: a part of its content, or one of `toolCalls`, or both. */
export interface CallRecord {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** The part of the content; `null` if it is only in `toolCalls`. */
  readonly part: Json | null;
  /** Its record in `toolCalls`; `null` if it is only in the content. */
  readonly record: Json | null;
}

/** The calls of a message in the order in which they are sent: those of the content, then those of `toolCalls`. */
export function callsIn(message: Json): CallRecord[] {
  if (message.type !== "gemini") return [];
  const beside = new Map<string, Json>();
  for (const call of listField(message, "toolCalls")) {
    if (isJson(call) && typeof call.id === "string") beside.set(call.id, call);
  }
  const calls = new Map<string, CallRecord>();
  for (const part of partsOf(message.content)) {
    if (!isJson(part) || !isJson(part.functionCall)) continue;
    const { functionCall } = part;
    const id = textOfValue(functionCall.id ?? "");
    const record = beside.get(id) ?? null;
    calls.set(id, { id, name: textOfValue(functionCall.name ?? ""), args: functionCall.args, part, record });
  }
  for (const [id, record] of beside) {
    if (calls.has(id)) continue;
    calls.set(id, { id, name: textOfValue(record.name ?? ""), args: record.args, part: null, record });
  }
  return [...calls.values()];
}

/** A result, from `toolCalls[].result` or from the user message that was recorded for it. */
export interface ResultRecord {
  readonly callId: string;
  readonly name: string | null;
  /** `functionResponse.response`, or `{ output }` for a plain text. */
  readonly response: unknown;
  /** The part itself, and the pictures and files that follow it. */
  readonly parts: readonly unknown[];
}

/** The results in a message. The list of a call may repeat results of other calls; each call keeps only its own. */
export function resultsIn(message: Json): ResultRecord[] {
  if (message.type === "user") return resultsInParts(partsOf(message.content), null);
  const results: ResultRecord[] = [];
  for (const call of listField(message, "toolCalls")) {
    if (!isJson(call) || typeof call.id !== "string") continue;
    const own = resultsInParts(partsOf(call.result), call.id).filter((result) => result.callId === call.id);
    if (own[0] !== undefined) results.push(own[0]);
  }
  return results;
}

/** @param callId the call whose list this is; plain texts and responses that name no call belong to it */
function resultsInParts(parts: readonly unknown[], callId: string | null): ResultRecord[] {
  const results: { callId: string; name: string | null; response: unknown; parts: unknown[] }[] = [];
  for (const part of parts) {
    if (isResponse(part)) {
      const { id, name, response } = part.functionResponse;
      const named = typeof id === "string" && id !== "" ? id : (callId ?? "");
      results.push({ callId: named, name: typeof name === "string" ? name : null, response, parts: [part] });
    } else if (callId !== null && results.length === 0 && (typeof part === "string" || isJson(part))) {
      const text = textOfPart(part);
      const response = text === null ? {} : { output: text };
      results.push({ callId, name: null, response, parts: [part] });
    } else if (textOfPart(part) === null) {
      results.at(-1)?.parts.push(part);
    }
  }
  return results;
}

/** A thought in the form in which Gemini CLI takes it into its history. */
export function thoughtText(thought: unknown): string {
  if (!isJson(thought)) return "";
  const description = textField(thought, "description") ?? "";
  return thought.subject ? `**${textOfValue(thought.subject)}** ${description}` : description;
}

export function listField(message: Json, key: string): readonly unknown[] {
  const value = message[key];
  return Array.isArray(value) ? value : [];
}

const DROPPED = /^(?:[/?]|<session_context>|<hook_context>|$)/u;

/**
 * True if Gemini CLI neither lists nor replays the message, because it is empty, is a slash command, begins with a
 * question mark, or was written by the program itself. A message with a part that is not a text is not empty.
 */
export function isDroppedContent(content: unknown): boolean {
  let text = "";
  for (const part of partsOf(content)) {
    const own = textOfPart(part);
    if (own === null && text.trim() === "") return false;
    text += own ?? "";
    // All beginnings in `DROPPED` are shorter than this.
    if (text.trimStart().length > 32) break;
  }
  return DROPPED.test(text.trim());
}

/** True for a message that the program writes at every start, or that a hook writes. */
export function isContextMessage(message: Json): boolean {
  if (message.type !== "user") return false;
  const first = textOfPart(partsOf(message.content)[0]) ?? "";
  return /^\s*<(?:session|hook)_context>/u.test(first);
}

/**
 * Returns the text that the person typed into a user message, without inserted files; `null` if they typed nothing.
 */
export function typedText(message: Json): string | null {
  if (message.type !== "user" || isDroppedContent(message.content) || isResponses(message)) return null;
  if (isSummary(message)) return null;
  const shown = textsOf(message.displayContent);
  return shown.trim() === "" ? textsOf(message.content) : shown;
}

function textsOf(content: unknown): string {
  return partsOf(content)
    .map((part) => textOfPart(part) ?? "")
    .join("");
}

/** True for the user message with which a compaction replaces earlier messages. */
export function isSummary(message: Json): boolean {
  return (
    message.type === "user" && /<state_snapshot>[\s\S]*<\/state_snapshot>/u.test(textsOf(message.content))
  );
}

/** Returns true if Gemini CLI lists and resumes a session that has this message. */
export function isResumable(message: Json): boolean {
  if (message.type === "user") return !isDroppedContent(message.content);
  if (message.type !== "gemini") return false;
  const said = partsOf(message.content).some((part) => (textOfPart(part) ?? "something").trim() !== "");
  return said || listField(message, "toolCalls").length > 0 || listField(message, "thoughts").length > 0;
}

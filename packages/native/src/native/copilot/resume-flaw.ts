/**
 * The needs of a resume: Copilot refuses the whole file for one record that lacks any of them (seen in 1.0.102).
 * Copilot ignores a line that is not JSON, after it copied the file. Pure.
 */

import { entryOf, isJson, type Json } from "@continuo/files";
import { fieldFlawOf, hasShape } from "./field-forms.ts";
import { agentIdOf, dataOf, isUserCommand, summaryOf } from "./records.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;
const ZONED = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/u;

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

export function isZonedTime(value: unknown): value is string {
  return typeof value === "string" && ZONED.test(value) && !Number.isNaN(Date.parse(value));
}

/** The reason in words why Copilot refuses the file for this record; `null` if it accepts the record. */
export function resumeFlawOf(record: Json): string | null {
  if (!isUuid(record.id)) return "the id is no UUID";
  if (!isZonedTime(record.timestamp)) return "the timestamp is no time with a zone";
  if (record.parentId !== null && !isUuid(record.parentId)) return "the parentId is neither a UUID nor null";
  if (typeof record.type !== "string") return "it has no type";
  if (!hasShape(record.type)) return null;
  if (!isJson(record.data)) return "it has no data";
  return entryOf(CHECKS, record.type)?.(record.data) ?? fieldFlawOf(record.type, record.data);
}

const CHECKS: Readonly<Record<string, (data: Json) => string | null>> = {
  "session.start": (data) =>
    missingText(data, ["sessionId", "producer", "copilotVersion"]) ??
    (Number.isInteger(data.version) ? null : "version is no number") ??
    (isZonedTime(data.startTime) ? null : "startTime is no time with a zone"),
  "user.message": (data) => missingText(data, ["content"]),
  "assistant.message": (data) =>
    missingText(data, ["messageId", "content"]) ?? requestFlaw(data.toolRequests) ?? sealFlaw(data),
  "tool.execution_complete": (data) =>
    missingText(data, ["toolCallId"]) ??
    callIdFlaw(data) ??
    (typeof data.success === "boolean" ? null : "success is neither true nor false") ??
    partFlaw(data.result, "result", "content") ??
    partFlaw(data.error, "error", "message"),
};

function missingText(data: Json, keys: readonly string[]): string | null {
  const missing = keys.find((key) => typeof data[key] !== "string");
  return missing === undefined ? null : `${missing} is no text`;
}

/** A vendor refuses the whole request for a seal that it did not write. */
export function isBrokenSeal(value: unknown): boolean {
  return typeof value === "string" && value.includes("\ufffd");
}

/** The fields of an answer in which a vendor seals its thinking. */
export const SEALS: readonly string[] = ["reasoningOpaque", "encryptedContent"];

function sealFlaw(data: Json): string | null {
  const broken = SEALS.find((name) => isBrokenSeal(data[name]));
  return broken === undefined ? null : `${broken} is damaged`;
}

function requestFlaw(requests: unknown): string | null {
  if (requests === undefined || requests === null) return null;
  if (!Array.isArray(requests)) return "toolRequests is no list";
  for (const request of requests) {
    if (!isJson(request)) return "a call is no object";
    const flaw = missingText(request, ["toolCallId", "name"]) ?? callIdFlaw(request);
    if (flaw !== null) return `${flaw} in a call`;
  }
  return null;
}

/** Copilot sends an id unchanged, and a model refuses a request with other characters in an id. */
function callIdFlaw({ toolCallId }: Json): string | null {
  return toolCallId === toCallId(String(toolCallId)) ? null : "toolCallId has characters that no model takes";
}

/** The id with characters that a model accepts; it is the same in each record with this id. */
export function toCallId(id: string): string {
  return id.replaceAll(/[^!-~]/gu, "_");
}

function partFlaw(part: unknown, name: string, key: string): string | null {
  if (part === undefined || part === null) return null;
  return isJson(part) && typeof part[key] === "string" ? null : `${name} has no ${key}`;
}

/**
 * The role of the first message that the model receives from the records so far; empty in a session without messages.
 */
export type FirstSpeaker = "nobody" | "person" | "model";

/** A vendor refuses a conversation that begins with an answer. The rules are those of `model-view.ts`. */
export function firstSpeakerAfter(before: FirstSpeaker, record: Json): FirstSpeaker {
  if (agentIdOf(record) !== null) return before;
  if (record.type === "session.context_cleared") return "nobody";
  if (summaryOf(record) !== null) return "person";
  if (before !== "nobody") return before;
  if (record.type === "user.message" || isUserCommand(record)) return "person";
  return record.type === "assistant.message" && isSpoken(dataOf(record)) ? "model" : before;
}

/** An answer with only thinking is not sent. */
function isSpoken({ content, toolRequests }: Json): boolean {
  return (
    (typeof content === "string" && content !== "") ||
    (Array.isArray(toolRequests) && toolRequests.length > 0)
  );
}

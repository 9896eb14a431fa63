/**
 * The part of an agent's result that a log can hold. An agent may return anything (huge, circular, of the wrong type).
 * This file leaves out and counts what cannot be stored, so that such a result never prevents a run from ending. Pure.
 */

import {
  type AgentResult,
  ContinuoError,
  isContinuoError,
  jsonLengthAtLeast,
  messageOf,
  type NativeRef,
  present,
  shorten,
  toJsonText,
  toPlainJson,
  type Usage,
} from "@continuo/core/model";
import { toUsage } from "@continuo/core/transcript";
import type { JournalEntry } from "./journal/index.ts";
import { LIMITS } from "./limits.ts";
import type { RunError } from "./result.ts";

/** A field that could not be stored, and the reason. */
export interface Omission {
  readonly field: string;
  readonly code: "invalid" | "too_large";
  readonly reason: string;
}

export interface CheckedResult {
  readonly result: AgentResult;
  readonly omissions: readonly Omission[];
}

/** Reads each field only once, because a getter may throw, or return another value the next time. */
export function checkResult(given: unknown, agent: string): CheckedResult {
  const fields = isRecord(given) ? given : {};
  const omissions: Omission[] = [];
  let unread: unknown;
  const keep = <T>(field: string, check: (value: unknown) => T): T | undefined => {
    try {
      const value = fields[field];
      if (field === "value") unread = value;
      return value === undefined || value === null ? undefined : check(value);
    } catch (error) {
      omissions.push(omissionOf(field, error));
      return undefined;
    }
  };
  const result = present({
    stopReason: keep("stopReason", (value) => checkText(value, LIMITS.wordChars)),
    usage: keep("usage", checkUsage),
    costUsd: keep("costUsd", checkNumber),
    nativeRef: keep("nativeRef", (value) => checkRef(value, agent)),
    value: keep("value", (value) => checkJson(value, LIMITS.resultBytes)),
  }) as AgentResult;
  const value = omissions.find(({ field }) => field === "value");
  if (value === undefined) return { result, omissions };
  const said = value.code === "invalid" && unread !== undefined ? messageOf(unread) : value.reason;
  return { result: { ...result, value: { unreadable: shorten(said, LIMITS.wordChars) } }, omissions };
}

function omissionOf(field: string, error: unknown): Omission {
  const code = isContinuoError(error, "too_large") ? "too_large" : "invalid";
  return { field, code, reason: shorten(messageOf(error), LIMITS.wordChars) };
}

/** The events that say what is missing. */
export function omissionEntries(omissions: readonly Omission[]): readonly JournalEntry[] {
  return omissions.map(({ field, code, reason }) => ({
    type: "error_raised",
    data: { message: `${field} of the agent could not be kept: ${reason}`, code, details: { field } },
    by: "system",
  }));
}

/** Errors: `invalid`, `too_large`. */
export function checkText(value: unknown, maxChars: number): string {
  if (typeof value !== "string") throw invalid("it is not a text");
  if (value.length > maxChars) throw tooLarge(`it has ${value.length} characters, more than ${maxChars}`);
  return value;
}

/** Errors: `invalid` for a value that names no native session, `too_large`. */
export function checkRef(value: unknown, agent: string): NativeRef {
  if (!isRecord(value)) throw invalid("it is not a native reference");
  const sessionId = checkText(value.sessionId, LIMITS.nameChars);
  if (sessionId === "") throw invalid("it names no native session");
  const textOrNull = (field: unknown): string | null =>
    field === undefined || field === null ? null : checkText(field, LIMITS.pathChars);
  return {
    agent: value.agent === undefined ? agent : checkText(value.agent, LIMITS.nameChars),
    sessionId,
    location: textOrNull(value.location),
    cwd: textOrNull(value.cwd),
  };
}

/** Errors: `invalid`. */
export function checkUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) throw invalid("it is not an object");
  const counts = Object.entries(value);
  for (const [key, count] of counts) {
    if (count !== undefined && !Number.isFinite(count)) throw invalid(`${shorten(key, 40)} is not a number`);
  }
  return toUsage(Object.fromEntries(counts));
}

function checkNumber(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalid("it is not a number");
  return value;
}

/** Plain JSON. Errors: `invalid`, `too_large`. */
function checkJson(value: unknown, maxBytes: number): unknown {
  // The event adds a few levels around the value.
  const copy = toPlainJson([[[[value]]]]);
  if (jsonLengthAtLeast(copy, maxBytes) > maxBytes) throw tooLarge(`it has more than ${maxBytes} bytes`);
  const { text } = toJsonText(copy);
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(`it has more than ${maxBytes} bytes`);
  return (JSON.parse(text) as [[[[unknown]]]])[0][0][0][0];
}

/** Makes an error fit into an event: cuts a long message, and leaves out details that cannot be kept. */
export function fitError({ code, message, details }: RunError): { error: RunError; omissions: Omission[] } {
  const omissions: Omission[] = [];
  const isLong = message.length > LIMITS.errorChars;
  if (isLong) {
    const reason = `it has ${message.length} characters, and was cut after ${LIMITS.errorChars}`;
    omissions.push({ field: "error", code: "too_large", reason });
  }
  const error: RunError = { code, message: shorten(message, LIMITS.errorChars) };
  if (details === undefined) return { error, omissions };
  try {
    return {
      error: { ...error, details: checkJson(details, LIMITS.errorChars) as typeof details },
      omissions,
    };
  } catch (problem) {
    return { error, omissions: [...omissions, omissionOf("details", problem)] };
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message);
}

function tooLarge(message: string): ContinuoError {
  return new ContinuoError("too_large", message);
}

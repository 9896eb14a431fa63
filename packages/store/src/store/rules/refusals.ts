/** The errors with which the store refuses a request, each in one place, with a hint. */

import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../engine/index.ts";

export function logNotFound(logId: string): ContinuoError {
  return new ContinuoError("not_found", `there is no log ${logId}`, {
    hint: "Create it with createLog or createSession first; a log with a time to live may have expired.",
    hintFor: "program",
    details: { logId },
  });
}

export function logGone(logId: string): ContinuoError {
  return new ContinuoError("gone", `the log ${logId} was deleted, and remains only for its forks`, {
    hint: "Read one of its forks, or delete them to free the id.",
    details: { logId },
  });
}

/** A log was removed while it was read; a new log may have its id. */
export function logRemoved(logId: string): ContinuoError {
  return new ContinuoError("not_found", `the log ${logId} was deleted while it was read`, {
    details: { logId },
  });
}

export function logClosed(logId: string, latestSequence: number): ContinuoError {
  return new ContinuoError("log_closed", `the log ${logId} is closed`, {
    hint: "Fork the log to continue after its end.",
    details: { logId, latestSequence },
  });
}

export function notFound(what: string, id: string): ContinuoError {
  return new ContinuoError("not_found", `there is no ${what} ${id}`, { details: { id } });
}

export function invalid(message: string, details: Readonly<Record<string, unknown>> = {}): ContinuoError {
  return new ContinuoError("invalid", message, { details });
}

export function tooLarge(what: string, limit: number, size: number): ContinuoError {
  return new ContinuoError("too_large", `${what}: ${size} is more than the limit of ${limit}`, {
    hint: "Store large data as a blob and refer to it.",
    details: { what, limit, size },
  });
}

export function conflict(
  message: string,
  details: Readonly<Record<string, unknown>>,
  hint?: string,
): ContinuoError {
  return new ContinuoError("conflict", message, { details, ...(hint === undefined ? {} : { hint }) });
}

export function fenced(message: string, details: Readonly<Record<string, unknown>>): ContinuoError {
  return new ContinuoError("fenced", message, {
    hint: "Stop writing: another process took over. Acquire the lease again if this process must continue.",
    details,
  });
}

export function outOfRange(logId: string, sequence: number, latestSequence: number): ContinuoError {
  return new ContinuoError("out_of_range", `the log ${logId} has not reached sequence ${sequence}`, {
    details: { logId, sequence, latestSequence },
  });
}

/** An id or a name: 1 to 512 UTF-16 units, no control characters, only valid Unicode. */
export function assertName(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || value.length === 0)
    throw invalid(`the ${what} must be a text that is not empty`);
  if (value.length > LIMITS.idLength) throw tooLarge(`the ${what}`, LIMITS.idLength, value.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(value)) throw invalid(`the ${what} has control characters`);
  if (!value.isWellFormed()) throw invalid(`the ${what} is not well-formed Unicode`);
}

/** Text other than a name: anything that a database can store. */
export function assertText(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw invalid(`the ${what} must be a text`);
  if (value.includes("\u0000") || !value.isWellFormed()) {
    throw invalid(`the ${what} has a NUL or a lone surrogate`);
  }
}

export function assertSequence(what: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw invalid(`the ${what} must be a sequence (a whole number of at least 0)`);
}

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** A time of ISO 8601 in UTC with a `Z`, such as `2026-01-31T12:00:00.000Z`; seconds have at most nine decimals. */
export function assertTime(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || !ISO_UTC.test(value) || Number.isNaN(Date.parse(value))) {
    throw invalid(`the ${what} must be an ISO 8601 time in UTC (2026-01-31T12:00:00.000Z)`);
  }
}

export function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

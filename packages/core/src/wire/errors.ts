/** Turns errors into `{ error: { code, message, hint, details } }` for the wire, and back. */

import { ContinuoError, ERROR_KINDS, type ErrorCode, isContinuoError, present } from "../model/index.ts";

export interface WireError {
  readonly error: {
    readonly code: ErrorCode | "internal";
    readonly message: string;
    readonly hint: string | null;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

/** An error that is not a `ContinuoError` is hidden from clients: its text may contain paths and data. */
export function toWireError(error: unknown): WireError {
  if (!isContinuoError(error)) {
    return {
      error: {
        code: "internal",
        message: "the server made a mistake",
        hint: "Read the server's log for the cause.",
        details: {},
      },
    };
  }
  const { code, message, hint, details } = error;
  return { error: { code, message, hint: hint ?? null, details } };
}

/** For a body that cannot be parsed: the one text of the server and of routes of a program's own. */
export function notJson(cause?: unknown): ContinuoError {
  return new ContinuoError(
    "invalid",
    "the body is not JSON",
    present({ hint: "Send a body in JSON.", cause }),
  );
}

/** The error that a body holds; a body of any other shape is `unavailable`, with the status in `details`. */
export function errorFromWire(body: unknown, status: number): ContinuoError {
  const { code, message, hint, details } = partsOf(body);
  if (typeof code !== "string" || !Object.hasOwn(ERROR_KINDS, code)) {
    return new ContinuoError("unavailable", `the server answered with status ${status}`, {
      details: { status },
    });
  }
  return new ContinuoError(code as ErrorCode, typeof message === "string" ? message : code, {
    details: isRecord(details) ? details : {},
    ...(typeof hint === "string" ? { hint } : {}),
  });
}

function partsOf(body: unknown): Readonly<Record<string, unknown>> {
  return isRecord(body) && isRecord(body.error) ? body.error : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

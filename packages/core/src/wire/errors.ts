/** Turns errors into `{ error: { code, message, hint, details, page } }` for the wire, and back. */

import {
  ContinuoError,
  ERROR_KINDS,
  type ErrorCode,
  hintOfCode,
  httpStatusOf,
  isContinuoError,
  pageOfCode,
  present,
} from "../model/index.ts";
import { isRecord } from "./channel-events.ts";

export interface WireError {
  readonly error: {
    readonly code: ErrorCode | "internal";
    readonly message: string;
    readonly hint: string | null;
    readonly details: Readonly<Record<string, unknown>>;
    /** The section about the code, in the folder of the package `continuo`. An older server leaves it out. */
    readonly page?: string;
  };
}

/** An error that is not a `ContinuoError` is hidden from clients: its text may contain paths and data. */
export function toWireError(error: unknown): WireError {
  if (!isContinuoError(error)) {
    return {
      error: {
        code: "internal",
        message: "the server made a mistake",
        hint: "Try again in a moment. The server's log has the cause.",
        details: {},
        page: pageOfCode("internal"),
      },
    };
  }
  const { code, message, hint = null, hintFor, details, page } = error;
  return { error: { code, message, hint: hintFor === "program" ? null : hint, details, page } };
}

const CUSTOMER_HINTS: { readonly [Code in ErrorCode]?: string } = {
  unauthorized: "Log in, and send the request again.",
  forbidden: "Ask the people who run this service for access.",
};

/**
 * Returns the error without hints for the program, its operator or the owner of a token. A customer of a program has no
 * tokens, and cannot change its code. If the hint is for the program, the details can name its folders, so they go too.
 */
export function toRequester<Failure>(error: Failure): Failure | ContinuoError {
  if (!isContinuoError(error)) return error;
  const { code, message, hint, hintFor, details } = error;
  const isFailure = httpStatusOf(error) >= 500;
  const isOfTokens = code in CUSTOMER_HINTS && (hint === hintOfCode(code) || /\btoken/u.test(hint ?? ""));
  if (hintFor === undefined && !isFailure && !isOfTokens) return error;
  const own = isFailure ? "Try again in a moment." : CUSTOMER_HINTS[code];
  const shown = hintFor === undefined ? { details } : {};
  return new ContinuoError(code, message, { ...present({ hint: own }), ...shown, cause: error });
}

/** The error for a body that cannot be parsed. The server and a program's own routes use the same text. */
export function notJson(cause?: unknown): ContinuoError {
  return new ContinuoError(
    "invalid",
    "the body is not JSON",
    present({ hint: "Send a body in JSON.", cause }),
  );
}

/** Returns the error that a body holds. Any other body gives `unavailable`, with the status in `details`. */
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

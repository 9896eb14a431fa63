/** Errors as responses. */

import { ContinuoError, httpStatusOf, isContinuoError } from "../../model/index.ts";
import { toWireError } from "../../wire/index.ts";

export function failure(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(toWireError(error), {
    status: httpStatusOf(error),
    headers: { ...retryHeaders(error), ...headers },
  });
}

/**
 * A read that the store cannot serve now is `degraded`. A write stays `unavailable`, because it may have been stored.
 */
export function readFailure(error: unknown): unknown {
  if (!isContinuoError(error, "unavailable")) return error;
  return new ContinuoError("degraded", `the store cannot be read: ${error.message}`, {
    hint: error.hint ?? "Try again in a moment.",
    details: { ...error.details, reason: error.message },
    cause: error,
  });
}

function retryHeaders(error: unknown): Readonly<Record<string, string>> {
  if (isContinuoError(error, "unauthorized")) return { "www-authenticate": "Bearer" };
  if (!isContinuoError(error)) return {};
  const { retryAfterMs } = error.details;
  if (typeof retryAfterMs !== "number") return {};
  return { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
}

/** Makes responses of errors. */

import type { Duplex } from "node:stream";
import { ContinuoError, httpStatusOf, isContinuoError } from "@continuo/core/model";
import { toWireError } from "@continuo/core/wire";
import { LIMITS } from "../context/index.ts";

export function failure(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(toWireError(error), {
    status: httpStatusOf(error),
    headers: { "cache-control": "no-store", ...retryHeaders(error), ...headers },
  });
}

/**
 * Answers on a connection that has no response object, and ends it. This is for requests for a WebSocket, and for bytes
 * that are not a request.
 */
export function refuseSocket(
  socket: Duplex,
  error: ContinuoError,
  { headers, status = httpStatusOf(error) }: SocketAnswer,
): void {
  const body = JSON.stringify(toWireError(error));
  const fields = Object.entries({
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    ...headers,
  });
  socket.on("error", () => undefined);
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines}\r\n${body}`);
  // The other side may keep its half of the connection open.
  setTimeout(() => socket.destroy(), LIMITS.goodbyeMs).unref();
}

export function badHandshake(cause: Error): ContinuoError {
  return new ContinuoError("invalid", `this is not a WebSocket handshake: ${cause.message}`, { cause });
}

interface SocketAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** The status of the error by default. */
  readonly status?: number;
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

/**
 * Returns a function that reports each hint once, because strangers may send the same request a thousand times. It
 * reports hints for the program (except `not_found`, which is no mistake of the program), and those of errors with a
 * status above 500. Errors with status 500 are reported elsewhere.
 */
export function createHintReport(report: (error: ContinuoError) => void): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    if (!isContinuoError(error) || error.hint === undefined) return;
    const isOfProgram = error.hintFor === "program" && error.code !== "not_found";
    if (!isOfProgram && httpStatusOf(error) < 501) return;
    // The quoted parts may come from a stranger, so hints that differ only in these parts count as one.
    const kind = error.hint.replace(/"[^"]*"/gu, "");
    if (told.has(kind)) return;
    told.add(kind);
    report(error);
  };
}

function retryHeaders(error: unknown): Readonly<Record<string, string>> {
  if (isContinuoError(error, "unauthorized")) return { "www-authenticate": "Bearer" };
  if (!isContinuoError(error)) return {};
  const { retryAfterMs } = error.details;
  if (typeof retryAfterMs !== "number") return {};
  return { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
}

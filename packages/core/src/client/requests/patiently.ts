/** Requests to the server: they are repeated while it cannot be reached, and fail with the server's own error. */

import { createIds, isContinuoError } from "../../model/index.ts";
import { errorFromWire } from "../../wire/index.ts";
import { backOffMs } from "./back-off.ts";

const PAUSES = { firstMs: 100, longestMs: 2_000 } as const;

/** Statuses of a server, or of a proxy in front of it, that is unavailable for a moment. */
const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];

export interface WaitLimit {
  readonly patienceMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Repeats a request until there is an answer. Use it only for requests that may be repeated, because the server may
 * have executed a request whose answer was lost. Errors: those of the server; the last failure of the network.
 */
export async function patiently(
  call: () => Promise<Response>,
  { patienceMs, signal }: WaitLimit,
): Promise<Response> {
  const end = performance.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    signal?.throwIfAborted();
    const waitMs = backOffMs(tries, PAUSES);
    const isLast = performance.now() + waitMs > end;
    try {
      const response = await call();
      if (response.ok) return response;
      const body: unknown = await response.json().catch(() => null);
      if (isLast || !PASSING_STATUSES.includes(response.status)) throw errorFromWire(body, response.status);
    } catch (error) {
      if (isLast || signal?.aborted === true || isContinuoError(error)) throw error;
    }
    await pause(waitMs, signal);
  }
}

/** Makes the ids under which a request may be sent again, with the clock and the randomness of Node or of a browser. */
export function newIds(): () => string {
  return createIds({
    now: () => Date.now(),
    random: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
}

/** Errors: the reason of the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

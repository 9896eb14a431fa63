/** The reasons why a run stops before its agent is done. Only the first reason counts. */

import {
  ContinuoError,
  isContinuoError,
  isEvent,
  messageOf,
  present,
  type Store,
} from "@continuo/core/model";
import { LIMITS } from "./limits.ts";

/** `lost`: another process runs the session now, and nothing more may be written. */
export type Stop =
  | { readonly status: "cancelled"; readonly reason?: string; readonly exceeded?: ExceededLimit }
  | { readonly status: "timeout"; readonly timeoutMs: number }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "lost"; readonly error: unknown };

/** The payload of `budget_exceeded`. */
export interface ExceededLimit {
  readonly limit: string;
  readonly value: number;
  readonly allowed: number;
}

export interface Stops {
  /** Aborts with the first reason; the agent receives this signal. */
  readonly signal: AbortSignal;
  readonly stop: Stop | null;
  end(stop: Stop): void;
  /** After this call, no reason counts any more. */
  close(): void;
}

export interface StopOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxDurationMs: number | undefined;
}

/** The longest time of a timer. Node fires a timer with a longer time immediately. */
export const MAX_TIMER_MS = 2_147_483_647;

export function createStops({ signal, timeoutMs, maxDurationMs }: StopOptions): Stops {
  const controller = new AbortController();
  let stop: Stop | null = null;
  const end = (given: Stop): void => {
    if (controller.signal.aborted || stop !== null) return;
    stop = given;
    controller.abort(reasonOf(given));
  };
  const abort = (): void => end({ status: "cancelled", reason: wordsOf(signal?.reason) });
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, given: Stop): void => {
    // A timer that is too long would fire immediately.
    timers.push(setTimeout(() => end(given), Math.min(ms, MAX_TIMER_MS)));
  };
  if (timeoutMs !== undefined) after(timeoutMs, { status: "timeout", timeoutMs });
  if (maxDurationMs !== undefined) {
    const exceeded = { limit: "maxDurationMs", value: maxDurationMs, allowed: maxDurationMs };
    after(maxDurationMs, { status: "cancelled", exceeded });
  }
  return {
    signal: controller.signal,
    get stop() {
      return stop;
    },
    end,
    close: () => {
      signal?.removeEventListener("abort", abort);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Returns the `signal.reason` that the agent reads. */
function reasonOf(stop: Stop): unknown {
  if (stop.status === "failed" || stop.status === "lost") return stop.error;
  if (stop.status === "timeout")
    return new ContinuoError("interrupted", `the run took longer than ${stop.timeoutMs} ms`);
  return new ContinuoError(
    "interrupted",
    `the run was cancelled: ${cancelReason(stop) ?? "no reason given"}`,
  );
}

export function cancelReason({
  reason,
  exceeded,
}: Extract<Stop, { status: "cancelled" }>): string | undefined {
  return exceeded === undefined ? reason : `the budget was used up (${exceeded.limit})`;
}

/** Returns the text of the reason; a fixed text if the signal was aborted without a reason that can be read. */
function wordsOf(reason: unknown): string {
  if (typeof reason === "string") return reason;
  try {
    if (reason instanceof Error && reason.name !== "AbortError") return messageOf(reason);
  } catch {
    // The reason cannot be read.
  }
  return "the caller's signal";
}

export interface CancelWatch {
  readonly store: Store;
  readonly sessionId: string;
  readonly runId: string;
  readonly after: number;
  readonly signal: AbortSignal;
  readonly onStop: (stop: Stop) => void;
}

/** Reads requests to cancel from the log until the signal aborts. Any process can have written them. */
export async function watchCancel({ store, onStop, ...watch }: CancelWatch): Promise<void> {
  const { sessionId, runId, signal } = watch;
  let after = watch.after;
  // Most runs of small agents have ended by then.
  await pause(LIMITS.watchAfterMs, signal);
  while (!signal.aborted) {
    try {
      for await (const event of store.tail(sessionId, { after, types: ["run_cancel_requested"], signal })) {
        after = event.sequence;
        if (!isEvent(event, "run_cancel_requested") || event.data.runId !== runId) continue;
        const { reason } = event.data;
        onStop(present({ status: "cancelled", reason }));
        return;
      }
    } catch (error) {
      if (isContinuoError(error, "not_found") || isContinuoError(error, "gone")) {
        onStop({ status: "failed", error });
        return;
      }
    }
    await pause(LIMITS.pollMs, signal);
  }
}

/** The reason of signals that only end a wait. A signal without a reason makes an error with a stack each time. */
export const WAIT_OVER: Error = new Error("nobody waits any longer");

/** Ends early, without an error, when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Calls of methods of other participants: results come back as a stream. */

import { ContinuoError, type KnownOptions, toCancelled } from "../model/index.ts";
import { recordOf, type WireEvent } from "../wire/index.ts";

export interface CallOptions {
  /** 60,000 by default. After this time the caller gets `unavailable`, and the called client gets `method_cancel`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export const CALL_OPTIONS: KnownOptions<CallOptions> = { timeoutMs: true, signal: true };

export interface MethodCall extends AsyncIterable<unknown> {
  readonly callId: string;
  /** The last result. */
  readonly result: Promise<unknown>;
  cancel(reason?: string): void;
}

interface PendingCall {
  readonly results: unknown[];
  readonly last: PromiseWithResolvers<unknown>;
  state: "waiting" | "done" | { readonly error: unknown };
  wake: (() => void) | null;
}

export class Calls {
  readonly #waiting = new Map<string, PendingCall & { readonly to: string }>();

  get count(): number {
    return this.#waiting.size;
  }

  /** `cancel` informs the other side; it is called at most once. */
  start(
    { callId, to, timeoutMs }: { readonly callId: string; readonly to: string; readonly timeoutMs: number },
    { signal, cancel }: { readonly signal?: AbortSignal; readonly cancel: (reason: string) => void },
  ): MethodCall {
    const waiting: PendingCall & { readonly to: string } = {
      to,
      results: [],
      last: Promise.withResolvers(),
      state: "waiting",
      wake: null,
    };
    // A caller that only iterates does not look at the promise.
    waiting.last.promise.catch(() => undefined);
    this.#waiting.set(callId, waiting);
    const stop = (reason: string, error: ContinuoError = ended(callId, reason)): void => {
      if (waiting.state !== "waiting") return;
      cancel(reason);
      this.fail(callId, error);
    };
    const timer = setTimeout(() => stop(`no result within ${timeoutMs} ms`), timeoutMs);
    const abort = (): void => {
      if (signal !== undefined) stop("the caller's signal", toCancelled(signal));
    };
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    const clear = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    waiting.last.promise.then(clear, clear);
    return {
      callId,
      result: waiting.last.promise,
      cancel: (reason = "cancelled by the caller") => stop(reason),
      [Symbol.asyncIterator]: () => resultsOf(waiting, () => stop("the caller does not read any more")),
    };
  }

  /** Accepts results only from the participant that was called. */
  take(event: WireEvent): void {
    if (event.type !== "method_answered") return;
    const { callId, value, done } = recordOf(event.data);
    const waiting = this.#waiting.get(String(callId));
    if (waiting === undefined || waiting.to !== event.actor.id) return;
    waiting.results.push(value);
    if (done === true) {
      this.#waiting.delete(String(callId));
      waiting.state = "done";
      waiting.last.resolve(value);
    }
    waiting.wake?.();
  }

  fail(callId: string, error: unknown): void {
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) return;
    this.#waiting.delete(callId);
    waiting.state = { error };
    waiting.last.reject(error);
    waiting.wake?.();
  }

  failAll(error: unknown): void {
    for (const callId of [...this.#waiting.keys()]) this.fail(callId, error);
  }
}

async function* resultsOf(waiting: PendingCall, stop: () => void): AsyncGenerator<unknown, void, void> {
  try {
    for (;;) {
      if (waiting.results.length > 0) yield waiting.results.shift();
      else if (waiting.state === "done") return;
      else if (waiting.state !== "waiting") throw waiting.state.error;
      else {
        await new Promise<void>((resolve) => {
          waiting.wake = resolve;
        });
      }
    }
  } finally {
    stop();
  }
}

function ended(callId: string, reason: string): ContinuoError {
  return new ContinuoError("unavailable", `the call was cancelled: ${reason}`, {
    hint: "Check the roster: the other participant may have left.",
    details: { callId },
  });
}

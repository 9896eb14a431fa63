/** The clock of the machine, as the port that tests replace. */

import type { Clock } from "./types.ts";

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    // A waiting session does not keep the process alive.
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Resolves after the time, or when the signal aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

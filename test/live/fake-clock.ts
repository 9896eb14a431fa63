/** A clock that a test steps: timers fire in their order, and what they began is waited for before time goes on. */

import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "@continuo/live";

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

export interface FakeClock extends Clock {
  /**
   * Returns true if something waits for a time that comes within so much: everything that leads to it has
   * happened then.
   */
  isDue(withinMs: number): boolean;
  /** Goes on by so much; `settle` is called after each step. */
  advance(ms: number): Promise<void>;
}

export function fakeClock(settle: () => Promise<void>, startMs: number = Date.now()): FakeClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  const soonest = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.atMs < first.atMs) first = timer;
    return first;
  };
  return {
    now: () => nowMs,
    after: (ms, call) => {
      const timer = { atMs: nowMs + Math.max(1, Math.round(ms)), call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    isDue: (withinMs) => (soonest()?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs + withinMs,
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      for (;;) {
        await settle();
        const next = soonest();
        if (next === undefined || next.atMs > untilMs) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.call();
      }
      nowMs = untilMs;
      await settle();
    },
  };
}

/**
 * Waits until `isQuiet` holds several times in a row. What waits for the clock has to count as quiet. Only what hangs
 * meets the limit.
 */
export async function untilQuiet(
  isQuiet: () => boolean | Promise<boolean>,
  longestMs = 60_000,
): Promise<void> {
  const until = performance.now() + longestMs;
  for (let quiet = 0; quiet < 3; ) {
    if (performance.now() > until) throw new Error(`not quiet after ${longestMs} ms`);
    await immediate();
    quiet = (await isQuiet()) ? quiet + 1 : 0;
  }
}

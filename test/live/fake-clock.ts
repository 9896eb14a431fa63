/** A clock that a test steps: timers fire in their order, and what they began is waited for before time goes on. */

import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "../../src/live/index.ts";

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

export interface FakeClock extends Clock {
  /** Goes on by so much; `settle` is called after each step. */
  advance(ms: number): Promise<void>;
}

export function fakeClock(settle: () => Promise<void>, startMs: number = Date.now()): FakeClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  return {
    now: () => nowMs,
    after: (ms, call) => {
      const timer = { atMs: nowMs + Math.max(1, Math.round(ms)), call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      for (;;) {
        await settle();
        const [next] = [...timers].toSorted((a, b) => a.atMs - b.atMs);
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

/** Waits until `isQuiet` holds several times in a row, at most for a while: a pause on the clock is not waited for. */
export async function untilQuiet(
  isQuiet: () => boolean | Promise<boolean>,
  longestMs = 1_000,
): Promise<void> {
  const until = performance.now() + longestMs;
  let quiet = 0;
  while (quiet < 3 && performance.now() < until) {
    await immediate();
    quiet = (await isQuiet()) ? quiet + 1 : 0;
  }
}

/**
 * A clock that counts only the time in which this process could receive data. A process that did not run for a while
 * (it was stopped, or busy) received nothing, and frames still wait for it. So no client counts as silent during that
 * time.
 */

import { LIMITS } from "./limits.ts";

export interface ListeningClock {
  /** Returns milliseconds. It must be called several times a second. */
  now(): number;
}

/** @param monotonic milliseconds of a clock that continues while the process does not run */
export function createListeningClock(monotonic: () => number = () => performance.now()): ListeningClock {
  let last = monotonic();
  let missedMs = 0;
  return {
    now: () => {
      const now = monotonic();
      if (now - last > LIMITS.standstillMs) missedMs += now - last;
      last = now;
      return now - missedMs;
    },
  };
}

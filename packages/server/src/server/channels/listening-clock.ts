/**
 * A clock that counts only the time in which this process could listen. A process that stood still (it was stopped, or
 * busy for long) has heard nobody, and what came meanwhile still waits for it: nobody was silent in that time.
 */

import { LIMITS } from "./limits.ts";

export interface ListeningClock {
  /** Milliseconds. Somebody must ask several times a second. */
  now(): number;
}

/** @param monotonic milliseconds of a clock that goes on while the process stands still */
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

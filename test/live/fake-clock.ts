/**
 * A clock that a test advances: timers fire in their order, and their work completes before the time advances again.
 */

import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "@continuo/live";

interface Timer {
  readonly atMs: number;
  /** `null` after it was cancelled, so that its callback is released. */
  call: (() => void) | null;
}

export interface FakeClock extends Clock {
  /** Returns true if a timer is due within this time; everything before it has happened then. */
  isDue(withinMs: number): boolean;
  /** Advances by this time; `settle` is called after each step. */
  advance(ms: number): Promise<void>;
}

export function fakeClock(settle: () => Promise<void>, startMs: number = Date.now()): FakeClock {
  let nowMs = startMs;
  const timers = new Timers();
  return {
    now: () => nowMs,
    after: (ms, call) => {
      const timer: Timer = { atMs: nowMs + Math.max(1, Math.round(ms)), call };
      timers.add(timer);
      return () => {
        timer.call = null;
      };
    },
    isDue: (withinMs) => (timers.soonest?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs + withinMs,
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      for (;;) {
        await settle();
        const next = timers.soonest;
        if (next === undefined || next.atMs > untilMs) break;
        timers.removeSoonest();
        nowMs = Math.max(nowMs, next.atMs);
        next.call?.();
      }
      nowMs = untilMs;
      await settle();
    },
  };
}

/**
 * Timers by their times, and timers of the same time in the order in which they were set; hundreds of sessions have
 * thousands.
 */
class Timers {
  readonly #byTime = new Map<number, Timer[]>();
  /** The times, as a binary heap. */
  readonly #times: number[] = [];

  add(timer: Timer): void {
    const same = this.#byTime.get(timer.atMs);
    if (same !== undefined) {
      same.push(timer);
      return;
    }
    this.#byTime.set(timer.atMs, [timer]);
    const times = this.#times;
    let at = times.push(timer.atMs) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((times[parent] as number) <= (times[at] as number)) break;
      [times[parent], times[at]] = [times[at] as number, times[parent] as number];
      at = parent;
    }
  }

  get soonest(): Timer | undefined {
    for (;;) {
      const [time] = this.#times;
      if (time === undefined) return undefined;
      const same = this.#byTime.get(time) ?? [];
      while (same[0]?.call === null) same.shift();
      if (same[0] !== undefined) return same[0];
      this.#byTime.delete(time);
      this.#removeTime();
    }
  }

  removeSoonest(): void {
    const { soonest } = this;
    if (soonest !== undefined) this.#byTime.get(soonest.atMs)?.shift();
  }

  #removeTime(): void {
    const times = this.#times;
    const last = times.pop();
    if (last === undefined || times.length === 0) return;
    times[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < times.length && (times[left] as number) < (times[least] as number)) least = left;
      if (right < times.length && (times[right] as number) < (times[least] as number)) least = right;
      if (least === at) return;
      [times[least], times[at]] = [times[at] as number, times[least] as number];
      at = least;
    }
  }
}

/**
 * Waits until `isQuiet` is true several times in a row. Work that waits for the clock must count as quiet. Only work
 * that hangs reaches the limit.
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

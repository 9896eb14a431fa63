/**
 * The longest time for which the event loop of this process was blocked. The time by the clock includes the work of
 * other programs; the processor time of this thread does not.
 */

import { PerformanceObserver } from "node:perf_hooks";

export interface Stop {
  readonly what: string;
  readonly totalMs: number;
  /** The longest turn by the clock, and by the processor's time of this thread. */
  readonly stopMs: number;
  readonly busyMs: number;
  /**
   * The time of garbage collections in the longest turn, by the clock; on a loaded machine it can be more than the
   * processor time of the turn.
   */
  readonly garbageMs: number;
}

interface StopTurn {
  readonly fromMs: number;
  readonly toMs: number;
  readonly busyMs: number;
}

export async function longestStop(what: string, run: () => Promise<unknown>): Promise<Stop> {
  let stopMs = 0;
  let longest: StopTurn = { fromMs: 0, toMs: 0, busyMs: 0 };
  let at = performance.now();
  let used = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(used);
    const turn = { fromMs: at, toMs: performance.now(), busyMs: (user + system) / 1_000 };
    if (turn.busyMs > longest.busyMs) longest = turn;
    stopMs = Math.max(stopMs, turn.toMs - at);
    at = performance.now();
    used = process.threadCpuUsage();
  };
  const garbage = observeGarbage();
  let turn = setImmediate(function next() {
    look();
    turn = setImmediate(next);
  });
  const began = at;
  try {
    await run();
    look();
    const totalMs = performance.now() - began;
    return { what, totalMs, stopMs, busyMs: longest.busyMs, garbageMs: await garbage.during(longest) };
  } finally {
    clearImmediate(turn);
    garbage.end();
  }
}

/** Garbage collections that end in a turn are reported in a later one. */
const REPORTED_MS = 20;

function observeGarbage(): { during(turn: StopTurn): Promise<number>; end(): void } {
  const collections: { readonly startTime: number; readonly duration: number }[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  return {
    during: async ({ fromMs, toMs }) => {
      await new Promise((resolve) => setTimeout(resolve, REPORTED_MS));
      const inside = collections.filter(({ startTime }) => startTime >= fromMs && startTime < toMs);
      return inside.reduce((sum, { duration }) => sum + duration, 0);
    },
    end: () => observer.disconnect(),
  };
}

/**
 * The longest time in which the event loop of this process did one thing. By the clock it includes what other programs
 * took of the machine; by the processor's time of this thread it does not.
 */

export interface Stop {
  readonly what: string;
  readonly totalMs: number;
  /** The longest turn by the clock, and by the processor's time of this thread. */
  readonly stopMs: number;
  readonly busyMs: number;
}

export async function longestStop(what: string, run: () => Promise<unknown>): Promise<Stop> {
  let [stopMs, busyMs] = [0, 0];
  let at = performance.now();
  let used = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(used);
    busyMs = Math.max(busyMs, (user + system) / 1_000);
    stopMs = Math.max(stopMs, performance.now() - at);
    at = performance.now();
    used = process.threadCpuUsage();
  };
  let turn = setImmediate(function next() {
    look();
    turn = setImmediate(next);
  });
  const began = at;
  try {
    await run();
    look();
    return { what, totalMs: performance.now() - began, stopMs, busyMs };
  } finally {
    clearImmediate(turn);
  }
}

/**
 * Ends a process whose round never ends. A separate thread watches it, because an endless loop blocks the timers of its
 * own thread.
 */

import { Worker } from "node:worker_threads";

/** A longer round hangs, however busy the machine is. */
const HANGS_MS = 120_000;

export interface WatchedRounds extends Disposable {
  /** Reports that a round begins, and that the previous one ended. */
  begin(): void;
}

export function watchRounds(): WatchedRounds {
  const rounds = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(WATCH, { eval: true, workerData: { rounds, hangsMs: HANGS_MS } });
  worker.unref();
  return {
    begin: () => void Atomics.add(rounds, 0, 1),
    [Symbol.dispose]: () => void worker.terminate(),
  };
}

const WATCH = `
  const { workerData: { rounds, hangsMs } } = require("node:worker_threads");
  let seen = -1;
  setInterval(() => {
    if (rounds[0] === seen) {
      require("node:fs").writeSync(2, "round " + seen + " of this batch does not end\\n");
      process.kill(process.pid, "SIGKILL");
    }
    seen = rounds[0];
  }, hangsMs);
`;

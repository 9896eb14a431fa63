/** Ends a process whose round never ends: a loop without an end lets no timer of its own thread run. */

import { Worker } from "node:worker_threads";

/** However busy the machine is, no round takes that long. */
const HANGS_MS = 120_000;

export interface WatchedRounds extends Disposable {
  /** A round begins, and the one before it ended. */
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

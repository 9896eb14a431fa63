/** The caller's side of the threads that search sessions in their files: they take batches until none is left. */

import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { messageOf, present } from "@continuo/core/model";
import { besideBundle } from "@continuo/files";
import { type Batch, type SizedSource, toBatches } from "./batches.ts";
import { SCAN_LIMITS } from "./limits.ts";
import type { ScanResult, ScanTask } from "./scan.ts";
import { tooLong } from "./time-limit.ts";

export interface ToScanThread {
  /** Sent only with the first batch. */
  readonly task?: ScanTask;
  readonly sessions: Batch;
  /** `leastScore` of `MatcherOptions`. */
  readonly leastScore?: number;
}

export type FromScanThread = ScanResult;

export interface ThreadScan {
  readonly task: ScanTask;
  /** In the order in which they are needed. */
  readonly sources: readonly SizedSource[];
  /** Aborted when no further results are needed. */
  readonly stop: AbortSignal;
  /** Milliseconds that one batch may take; no limit by default. */
  readonly batchMs?: number;
  /** Returns `leastScore` of `MatcherOptions`; called before each batch. */
  readonly leastScore: () => number | undefined;
  /** Called after each batch. */
  readonly onScanned: (scanned: ScanResult, sessions: number) => void;
}

export interface ScanThreads extends AsyncDisposable {
  /** Starts threads before they are needed: they load while the caller still looks for sessions. */
  prepare(): void;
  /**
   * Resolves when everything was searched, or `stop` was aborted.
   *
   * Errors: `too_large` if a batch took longer than `batchMs`.
   */
  scan(wanted: ThreadScan): Promise<void>;
}

export function createScanThreads(): ScanThreads {
  const most = Math.min(SCAN_LIMITS.threads, availableParallelism());
  const all = new Set<Worker>();
  const idle: Worker[] = [];
  const start = (): Worker => {
    // Most searches need no thread, and loading the module takes a millisecond.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const worker = new Worker(besideBundle(import.meta.filename, "scan-worker"), { execArgv: [] });
    all.add(worker);
    return worker;
  };
  const run = async (batches: Iterator<Batch>, wanted: ThreadScan): Promise<void> => {
    const worker = idle.pop() ?? start();
    if ((await runThread(worker, batches, wanted)) === "done") {
      idle.push(worker);
      return;
    }
    all.delete(worker);
    await worker.terminate();
    // The batch of a thread that ended is lost; another thread continues with the next batch.
    if (!wanted.stop.aborted) await run(batches, wanted);
  };
  return {
    prepare() {
      while (all.size < most) idle.push(start());
    },
    async scan(wanted) {
      const batches = toBatches(wanted.sources);
      const bytes = wanted.sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const count = Math.min(batches.length, Math.ceil(bytes / SCAN_LIMITS.bytesPerThread), most);
      const next = batches[Symbol.iterator]();
      await Promise.all(Array.from({ length: count }, () => run(next, wanted)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

/** `failed`: the thread ended, or is to be ended. */
async function runThread(
  worker: Worker,
  batches: Iterator<Batch>,
  { task, stop, batchMs, leastScore, onScanned }: ThreadScan,
): Promise<"done" | "failed"> {
  const { promise, resolve, reject } = Promise.withResolvers<"done" | "failed">();
  let [batch, isFirst]: [Batch, boolean] = [[], true];
  let timer: NodeJS.Timeout | undefined;
  const take = (): void => {
    clearTimeout(timer);
    const next = stop.aborted ? null : batches.next();
    if (next === null || next.done === true) {
      resolve("done");
      return;
    }
    batch = next.value;
    if (batchMs !== undefined) timer = setTimeout(() => reject(tooLong(batchMs)), batchMs);
    const message: ToScanThread = {
      ...(isFirst ? { task } : {}),
      sessions: batch,
      ...present({ leastScore: leastScore() }),
    };
    isFirst = false;
    worker.postMessage(message);
  };
  const onMessage = (scanned: FromScanThread): void => {
    onScanned(scanned, batch.length);
    take();
  };
  const onStop = (): void => resolve("failed");
  // A session may need more memory than a thread has: then the batch counts as unreadable.
  const onFailure = (message: string): void => {
    worker.off("error", onError).off("exit", onExit);
    onScanned(
      { results: [], unreadable: batch.map(({ location }) => ({ location, message })), cut: 0 },
      batch.length,
    );
    resolve("failed");
  };
  const onError = (error: unknown): void => onFailure(messageOf(error));
  const onExit = (): void => onFailure("the thread that searched it ended");
  stop.addEventListener("abort", onStop, { once: true });
  worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  take();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", onStop);
    worker.off("message", onMessage).off("error", onError).off("exit", onExit);
  }
}

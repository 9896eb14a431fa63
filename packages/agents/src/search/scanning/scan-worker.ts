/** The entry of a thread that searches sessions in their files; `scan-threads.ts` starts it. */

import { parentPort } from "node:worker_threads";
import { createScan } from "./scan.ts";
import type { FromScanThread, ToScanThread } from "./scan-threads.ts";

let scan: ReturnType<typeof createScan> | null = null;

parentPort?.on("message", (message: ToScanThread) => void receive(message));

async function receive({ task, sessions, leastScore }: ToScanThread): Promise<void> {
  if (task !== undefined) scan = createScan(task);
  if (scan === null) throw new Error("a thread is told first what to search for");
  const scanned: FromScanThread = await scan(sessions, leastScore);
  parentPort?.postMessage(scanned);
}

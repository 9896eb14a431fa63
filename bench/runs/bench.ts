/** `npm run bench -- runs`: the cost of a run in addition to its events, and the memory of a run that streams much. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { executeRun, startRun, startSession } from "@continuo/store/sessions";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { type Command, measure, printRatios, printTable } from "../measure/index.ts";

const RUNS = 200;
/** This keeps garbage that was not collected yet from counting as needed memory. */
const HEAP = "--max-old-space-size=64";
const INPUT = "x".repeat(480);

/** Events of a run: begun, input, resumed, answered, turn ended, completed. */
const EVENTS_OF_A_RUN = 6;

export async function run({ rounds }: { readonly large: boolean; readonly rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-runs-"));
  try {
    const { executed, appended } = await timeRuns(folder, Math.max(5, rounds));
    const each = (ms: number): string => `${(ms / RUNS).toFixed(3)} ms`;
    console.log("\nRuns of the echo agent, everything durable: medians");
    console.log(`  ${"one executeRun".padEnd(44)} ${each(executed)}`);
    console.log(`  ${`${EVENTS_OF_A_RUN} durable appends of one event`.padEnd(44)} ${each(appended)}`);
    const [small, large] = measureStreams(folder);
    printTable(
      "A run that streams",
      [small, large].flatMap((one) => one ?? []),
    );
    printRatios([
      {
        what: "executeRun of the echo agent / as many durable appends",
        ratio: executed / appended,
        wanted: "below",
        target: 1.5,
      },
      {
        what: "memory of a run that streams 100 MB / 30 MB",
        ratio: (large?.peakBytes ?? Number.NaN) / (small?.peakBytes ?? Number.NaN),
        wanted: "below",
        target: 1.3,
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Times {
  readonly executed: number;
  readonly appended: number;
}

export async function timeRuns(folder: string, rounds: number): Promise<Times> {
  await using store = await openStore(`sqlite:${join(folder, "runs.db")}`);
  const executed: number[] = [];
  const appended: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const [run, append] = [await timeExecute(store), await timeAppends(store)];
    // The first round warms up.
    if (round < 0) continue;
    executed.push(run);
    appended.push(append);
  }
  return { executed: median(executed), appended: median(appended) };
}

/**
 * The runs of one session, as in a conversation. They are started before the measurement; their events are counted
 * separately.
 */
async function timeExecute(store: Store): Promise<number> {
  const agent = new EchoAgent();
  const { sessionId } = await startSession(store);
  let total = 0;
  for (let n = 0; n < RUNS; n++) {
    const { runId } = await startRun(store, sessionId, INPUT);
    const before = await store.latestSequence(sessionId);
    const start = performance.now();
    await executeRun(store, agent, runId);
    total += performance.now() - start;
    const written = (await store.latestSequence(sessionId)) - before;
    if (written !== EVENTS_OF_A_RUN) throw new Error(`${written} events were written`);
  }
  return total;
}

async function timeAppends(store: Store): Promise<number> {
  const { logId } = await store.createLog();
  const start = performance.now();
  for (let n = 0; n < RUNS * EVENTS_OF_A_RUN; n++) {
    await store.append(logId, [{ type: "message_sent", data: { content: INPUT } }]);
  }
  return performance.now() - start;
}

/** The caches of SQLite and of the runtime are full after 30 MB: any growth after that would have no end. */
function measureStreams(folder: string) {
  const streams = [30, 100].map(
    (megabytes): Command => ({
      name: `${megabytes} MB`,
      argv: [process.execPath, HEAP, join(import.meta.dirname, "stream.ts"), folder, String(megabytes)],
      before: () => rmSync(join(folder, `stream-${megabytes}.db`), { force: true }),
    }),
  );
  return measure(streams, { rounds: 1 });
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

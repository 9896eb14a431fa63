/** Durable appends of 512-byte payloads: batches, callers, and the delay that callers put on the event loop. */

import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openStore } from "@continuo/store";
import type { Ratio } from "../measure/index.ts";
import { openBare } from "./bare.ts";
import { TARGETS } from "./limits.ts";
import { openReference } from "./reference.ts";
import { type Contender, inTurn, ms, peakMegabytes, printRates, quantile, rateOf } from "./sampling.ts";

const VALUE = "x".repeat(480);
const BATCHES = [1, 10, 100] as const;
const CALLERS = [1, 8, 32] as const;
/** Events of one round. */
const EVENTS = { 1: 2_000, 10: 10_000, 100: 20_000 } as const;

let made = 0;

interface BenchEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly name: string; readonly value: string };
}

export function eventsOf(count: number): readonly BenchEvent[] {
  return Array.from({ length: count }, () => {
    const n = made++;
    return {
      id: `event-${n.toString(36).padStart(12, "0")}`,
      type: "custom",
      data: { name: "bench", value: VALUE },
    };
  });
}

export async function benchAppends(folder: string, rounds: number): Promise<readonly Ratio[]> {
  const ratios: Ratio[] = [];
  for (const batch of BATCHES) ratios.push(...(await benchBatch(folder, batch, rounds)));
  return ratios;
}

async function benchBatch(
  folder: string,
  batch: (typeof BATCHES)[number],
  rounds: number,
): Promise<readonly Ratio[]> {
  const bare = openBare(join(folder, `bare-${batch}.db`));
  const store = await openStore(`sqlite:${join(folder, `store-${batch}.db`)}`);
  const { logId } = await store.createLog();
  const reference = await openReference(folder, batch);
  const calls = EVENTS[batch] / batch;
  const latencies = new Map<number, number[]>(CALLERS.map((callers) => [callers, []]));
  const delays: number[] = [];
  const ours = CALLERS.map(
    (callers): Contender => ({
      name: `Continuo, ${callers} ${callers === 1 ? "caller" : "callers"}`,
      run: async () => {
        // Each round has a new one, because the time between rounds does not count.
        const delay = monitorEventLoopDelay({ resolution: 1 });
        if (callers === 32) delay.enable();
        let left: number = calls;
        const call = async (): Promise<void> => {
          while (left-- > 0) {
            const events = eventsOf(batch);
            const start = performance.now();
            await store.append(logId, events);
            latencies.get(callers)?.push(performance.now() - start);
          }
        };
        await Promise.all(Array.from({ length: callers }, call));
        delay.disable();
        if (callers === 32) delays.push(delay.percentile(99) / 1e6);
        return EVENTS[batch];
      },
    }),
  );
  const sampled = await inTurn(
    [
      {
        name: "bare node:sqlite, 1 caller",
        run: async () => {
          for (let n = 0; n < calls; n++) bare.append(eventsOf(batch));
          return EVENTS[batch];
        },
      },
      ...ours,
      ...reference.contenders(calls, EVENTS[batch]),
    ],
    rounds,
  );
  printRates(`Durable appends of 512 bytes, ${batch} a batch`, "events", sampled);
  for (const [callers, times] of latencies) {
    console.log(`  ${callers} callers: p50 ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))}`);
  }
  console.log(`  event loop delay, 32 callers: p99 ${ms(quantile(delays, 0.5))}, median of the rounds`);
  console.log(`  peak memory so far ${peakMegabytes()}`);
  bare.close();
  await store.close();
  await reference.close();
  return ratiosOf(batch, rateOf(sampled, "Continuo, 1 caller"), {
    bare: rateOf(sampled, "bare node:sqlite, 1 caller"),
    many: rateOf(sampled, "Continuo, 32 callers"),
  });
}

function ratiosOf(
  batch: (typeof BATCHES)[number],
  one: number,
  { bare, many }: { readonly bare: number; readonly many: number },
): readonly Ratio[] {
  const targets = { 1: TARGETS.appendBatch1, 10: TARGETS.appendBatch10, 100: TARGETS.appendBatch100 };
  const what = `append, batch ${batch}, against bare node:sqlite`;
  const against: Ratio = { what, ratio: one / bare, wanted: "above", target: targets[batch] };
  if (batch !== 1) return [against];
  return [
    against,
    { what: "32 callers against 1 caller", ratio: many / one, wanted: "above", target: TARGETS.groupCommit },
  ];
}

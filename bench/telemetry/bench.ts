/**
 * `npm run bench -- telemetry`: the cost of spans and metrics for an append of 512 bytes to SQLite, without a provider
 * and with the SDK of OpenTelemetry, in processor time, which other work of the machine changes least. The sides
 * alternate in blocks, so that changes of the machine's speed affect all alike.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { metrics, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { measuredAppend } from "../../packages/store/src/store/engine/index.ts";
import { print, printRatios } from "../measure/index.ts";

/** The limit that `docs/telemetry.md` names. */
const MOST_OF_AN_APPEND = 0.02;
const BLOCK = 500;
const CALLS = 20_000;

type Side = () => Promise<void>;

/** The median of each side, in microseconds of the processor for one call. The side that goes first alternates. */
async function inTurns(sides: readonly Side[], calls: number, turns: number): Promise<readonly number[]> {
  const times = sides.map((): number[] => []);
  for (let turn = -2; turn < turns; turn += 1) {
    for (let n = 0; n < sides.length; n += 1) {
      const at = (n + turn + sides.length) % sides.length;
      const begun = process.cpuUsage();
      await sides[at]?.();
      const { user, system } = process.cpuUsage(begun);
      if (turn >= 0) times[at]?.push((user + system) / calls);
    }
  }
  return times.map(median);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The microseconds of the wrapper around an append without a provider. */
async function wrapperUs(turns: number): Promise<number> {
  const work = async (): Promise<readonly []> => [];
  const [bare = 0, wrapped = 0] = await inTurns(
    [
      async () => {
        for (let n = 0; n < CALLS; n += 1) await work();
      },
      async () => {
        for (let n = 0; n < CALLS; n += 1) await measuredAppend(1, work);
      },
    ],
    CALLS,
    turns,
  );
  return wrapped - bare;
}

/** The microseconds of a span like that of an append, made without Continuo. */
async function spanUs(sdk: Sdk, turns: number): Promise<number> {
  const attributes = { "continuo.events": 1 };
  const [span = 0] = await inTurns(
    [
      async () => {
        sdk.spans();
        const tracer = trace.getTracer("bench");
        for (let n = 0; n < BLOCK; n += 1) {
          await tracer.startActiveSpan("append", { attributes }, async (one) => one.end());
        }
        sdk.off();
      },
    ],
    BLOCK,
    turns,
  );
  return span;
}

interface Sdk {
  numbers(): void;
  spans(): void;
  /** Spans with a sampler that keeps one of a hundred. */
  fewSpans(): void;
  off(): void;
  shutdown(): Promise<void>;
}

function createSdk(): Sdk {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const kept = new InMemorySpanExporter();
  const spanProcessors = [new BatchSpanProcessor({ exporter: kept })];
  const tracers = new TracerProvider({ spanProcessors });
  const sampling = new TracerProvider({ spanProcessors, sampler: new TraceIdRatioBasedSampler(0.01) });
  return {
    numbers: () => void metrics.setGlobalMeterProvider(meters),
    spans: () => void trace.setGlobalTracerProvider(tracers),
    fewSpans: () => void trace.setGlobalTracerProvider(sampling),
    off: () => {
      metrics.disable();
      trace.disable();
      kept.reset();
    },
    shutdown: async () => {
      await Promise.all([meters.shutdown(), tracers.shutdown()]);
    },
  };
}

async function appendBlock(store: Store, logId: string): Promise<void> {
  const value = "x".repeat(480);
  for (let n = 0; n < BLOCK; n += 1) {
    await store.append(logId, [{ type: "custom", data: { name: "bench", value } }]);
  }
}

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-telemetry-"));
  const turns = Math.max(20, rounds * 4);
  const sdk = createSdk();
  try {
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const { logId } = await store.createLog();
    const own = await wrapperUs(turns);
    const bareSpan = await spanUs(sdk, turns);
    const block =
      (...begin: readonly (() => void)[]): Side =>
      async () => {
        for (const one of begin) one();
        await appendBlock(store, logId);
        sdk.off();
      };
    const sides = [
      block(),
      block(sdk.numbers),
      block(sdk.numbers, sdk.fewSpans),
      block(sdk.numbers, sdk.spans),
    ];
    const [without = 0, numbers = 0, few = 0, all = 0] = await inTurns(sides, BLOCK, turns);
    print(
      `\nTelemetry of an append of 512 bytes to SQLite, ${turns} turns of ${BLOCK} appends, processor time`,
    );
    print(`  without a provider              ${without.toFixed(1)} µs, of it telemetry ${own.toFixed(2)} µs`);
    print(`  numbers, with the SDK           ${numbers.toFixed(1)} µs`);
    print(`  and spans, 1 % of them kept     ${few.toFixed(1)} µs`);
    print(`  numbers and spans, with the SDK ${all.toFixed(1)} µs`);
    print(`  a span of the SDK by itself     ${bareSpan.toFixed(1)} µs`);
    const below = { wanted: "below", target: MOST_OF_AN_APPEND } as const;
    printRatios([
      { what: "telemetry of an append, without a provider", ratio: own / without, ...below },
      { what: "numbers of an append, with the SDK", ratio: numbers / without - 1, ...below },
      { what: "numbers and 1 % of the spans, with the SDK", ratio: few / without - 1, ...below },
      { what: "numbers and spans of an append, with the SDK", ratio: all / without - 1, ...below },
    ]);
  } finally {
    sdk.off();
    await sdk.shutdown();
    rmSync(folder, { recursive: true, force: true });
  }
}

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
import { metrics, ProxyTracerProvider, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { measuredAppend } from "../../packages/store/src/store/engine/index.ts";
import { print, printRatios, type Ratio } from "../measure/index.ts";

/** The limit that `docs/telemetry.md` names. */
const MOST_OF_AN_APPEND = 0.02;
const BLOCK = 100;
/** Records each append as a span if it is 0. */
const SLOW_APPEND = "OTEL_INSTRUMENTATION_CONTINUO_SLOW_APPEND_MS";
const CALLS = 20_000;
const BELOW = { wanted: "below", target: MOST_OF_AN_APPEND } as const;

type Side = () => Promise<void>;

/** The samples of each side, in microseconds of the processor for one call. The side that goes first alternates. */
async function inTurns(
  sides: readonly Side[],
  calls: number,
  turns: number,
): Promise<readonly (readonly number[])[]> {
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
  return times;
}

function median(values: readonly number[] = []): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of the ratios of the turns, each of which has both sides. */
function ratioOf(side: readonly number[] = [], base: readonly number[] = []): number {
  return median(side.map((us, turn) => us / (base[turn] ?? Number.NaN)));
}

/** The microseconds of the wrapper around an append that does nothing: what telemetry takes with warm caches. */
async function wrapperUs(begin: readonly (() => void)[], sdk: Sdk, turns: number): Promise<number> {
  const work = async (): Promise<readonly []> => [];
  const [bare, wrapped] = await inTurns(
    [
      async () => {
        for (let n = 0; n < CALLS; n += 1) await work();
      },
      async () => {
        for (const one of begin) one();
        for (let n = 0; n < CALLS; n += 1) await measuredAppend(1, work);
        sdk.off();
      },
    ],
    CALLS,
    turns,
  );
  return median(wrapped) - median(bare);
}

interface Sdk {
  /** Sets a provider without an SDK, so that only the API is called. */
  nothing(): void;
  numbers(): void;
  spans(): void;
  everySpan(): void;
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
  const noop = new ProxyTracerProvider();
  return {
    nothing: () => void trace.setGlobalTracerProvider(noop),
    numbers: () => void metrics.setGlobalMeterProvider(meters),
    spans: () => void trace.setGlobalTracerProvider(tracers),
    everySpan: () => {
      process.env[SLOW_APPEND] = "0";
    },
    off: () => {
      delete process.env[SLOW_APPEND];
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
  const turns = rounds * 12;
  const sdk = createSdk();
  try {
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const { logId } = await store.createLog();
    const cases = [
      { what: "without a provider", begin: [] },
      // The second of two equal cases shows how far the measurement can be trusted.
      { what: "the same again", begin: [] },
      { what: "no-op provider", begin: [sdk.nothing] },
      { what: "SDK, as it is", begin: [sdk.numbers, sdk.spans] },
      { what: "SDK, every append a span", begin: [sdk.numbers, sdk.spans, sdk.everySpan] },
    ];
    const sides = cases.map(
      ({ begin }): Side =>
        async () => {
          for (const one of begin) one();
          await appendBlock(store, logId);
          sdk.off();
        },
    );
    const samples = await inTurns(sides, BLOCK, turns);
    const appendUs = median(samples[0]);
    print(
      `\nTelemetry of an append of 512 bytes to SQLite, processor time: ${turns} turns of ${BLOCK} appends`,
    );
    print("                            append   ratio   wrapper");
    const rows: Ratio[] = [];
    for (const [n, { what, begin }] of cases.entries()) {
      const ownUs = await wrapperUs(begin, sdk, 5);
      const ratio = ratioOf(samples[n], samples[0]) - 1;
      const cells = [`${median(samples[n]).toFixed(1)} µs`, ratio.toFixed(3), `${ownUs.toFixed(2)} µs`];
      print(`  ${what.padEnd(26)}${cells.join("  ")}`);
      if (begin.length === 3) continue;
      rows.push({
        what: `telemetry of an append, ${what}`,
        ratio: n === 0 ? ownUs / appendUs : ratio,
        ...BELOW,
      });
    }
    printRatios(rows);
  } finally {
    sdk.off();
    await sdk.shutdown();
    rmSync(folder, { recursive: true, force: true });
  }
}

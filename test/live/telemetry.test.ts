/** The measurements of continuous sessions, and the dashboard that shows them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { afterEach, expect, test } from "vitest";
import { METRICS } from "../../packages/live/src/kit/metrics.ts";
import { finding, type LiveTest, liveTest, said } from "./live-session.ts";

const HOUR_MS = 3_600_000;

afterEach(() => metrics.disable());

interface Measured {
  /** The values of a metric by attribute; of a histogram, the number of values. */
  readonly read: (name: string, attribute?: string) => Promise<Readonly<Record<string, number>>>;
  readonly names: () => Promise<readonly string[]>;
}

function measure(): Measured {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: HOUR_MS });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const all = async () => {
    await reader.forceFlush();
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
    return scopes.filter(({ scope }) => scope.name === "continuo.live").flatMap((one) => one.metrics);
  };
  return {
    names: async () => (await all()).map(({ descriptor }) => descriptor.name),
    read: async (name, attribute) => {
      const metric = (await all()).find(({ descriptor }) => descriptor.name === name);
      const points = (metric?.dataPoints ?? []) as readonly DataPoint<number | { readonly count: number }>[];
      const values: Record<string, number> = {};
      for (const { attributes, value } of points) {
        const key = attribute === undefined ? "all" : String(attributes[attribute]);
        values[key] = (values[key] ?? 0) + (typeof value === "number" ? value : value.count);
      }
      return values;
    },
  };
}

/** Makes the writer write notes like a model that is sure only of its first draft. */
function writeAs({ writer }: LiveTest): void {
  const { write } = writer;
  let calls = 0;
  writer.write = async (request, options) => {
    const result = await write(request, options);
    const confidence = calls++ === 0 ? 0.9 : 0.2;
    const drafts = result.drafts.map((draft) => ({ ...draft, confidence, question: "What is this?" }));
    return { ...result, drafts, model: "small", usage: { inputTokens: 70, outputTokens: 7 } };
  };
}

test("every metric is measured, with the attributes that its description names", async () => {
  const { read, names } = measure();
  await using live = await liveTest();
  writeAs(live);
  const { service, clock } = live;
  await service.open("k", { videoId: "v" });
  await live.send("k", said("the first words", 0));
  await clock.advance(5_000);
  expect(await read("continuo.live.sessions", "state")).toEqual({ active: 1 });
  const frames = Array.from({ length: 25 }, (_, n) => ({
    type: "frame_captured" as const,
    mediaTimeMs: 60_000 + n,
  }));
  await live.send("k", said("other words, far away", 60_000), ...frames);
  await clock.advance(13_000);
  await service.close("k");

  expect(await read("continuo.live.messages", "type")).toEqual({ transcript_added: 2, frame_captured: 25 });
  expect(await read("continuo.live.depth")).toEqual({ all: 2 });
  expect(await read("continuo.live.dropped", "type")).toEqual({ frame_captured: 5 });
  expect(await read("continuo.live.notes", "action")).toEqual({ write: 1, ask: 1 });
  expect(await read("continuo.live.escalations")).toEqual({ all: 1 });
  // The note of an unanswered question belongs to no batch.
  expect(await read("continuo.live.citations", "earlier")).toEqual({ no: 1 });
  expect(await read("continuo.live.segments", "state")).toEqual({ closed: 1 });
  expect(await read("continuo.live.batch.size", "lane")).toEqual({ all: 2 });
  expect(await read("continuo.live.checkpoint.duration", "outcome")).toEqual({ done: 1 });
  expect(await read("continuo.live.restore.duration", "outcome")).toEqual({ done: 1 });
  expect(await read("continuo.live.transitions", "to")).toEqual({ active: 1, closed: 1 });
  const calls = await read("gen_ai.client.operation.duration", "gen_ai.request.model");
  expect(await read("gen_ai.client.token.usage", "gen_ai.token.type")).toEqual({
    input: calls.small,
    output: calls.small,
  });
  const unused = ["continuo.live.alerts", "continuo.live.replay.agreement"];
  expect((await names()).toSorted()).toEqual(
    Object.keys(METRICS)
      .filter((name) => !unused.includes(name))
      .toSorted(),
  );
});

test("a failed call of a model is measured with its error, and a degraded session that nobody repairs is an alert", async () => {
  const { read } = measure();
  await using live = await liveTest();
  const { service, store, clock, writer } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  writer.failures = 1;
  await live.send("k", said("words", 0));
  await clock.advance(4_500);
  expect(await read("gen_ai.client.operation.duration", "error.type")).toEqual({ _OTHER: 1 });
  await clock.advance(5_000);
  // A server does this when it finds the log damaged.
  await service.ownerOf(sessionId)?.degrade(finding("the log has a gap after 3"));
  expect(await read("continuo.live.alerts")).toEqual({});
  await clock.advance(2 * HOUR_MS);
  await service.cleanUp();
  expect((await store.getSession(sessionId))?.status).toBe("abandoned");
  expect(await read("continuo.live.alerts", "reason")).toEqual({ degraded_abandoned: 1 });
});

test("without a provider, nothing is measured and everything works", async () => {
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("words", 0));
  await live.clock.advance(5_000);
  expect(await live.service.notes("k")).toHaveLength(1);
});

/** Returns the names that Prometheus gives to metrics from OTLP. */
function prometheusNames(name: string): readonly string[] {
  const { kind, unit } = METRICS[name as keyof typeof METRICS];
  const base = `${name.replaceAll(".", "_")}${unit === "s" ? "_seconds" : ""}`;
  if (kind === "counter") return [`${base}_total`];
  return kind === "gauge" ? [base] : [`${base}_bucket`, `${base}_sum`, `${base}_count`];
}

test("the Grafana dashboard shows every metric, and no other", () => {
  const file = join(import.meta.dirname, "../../examples/live/grafana.json");
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const used = new Set(expressions.flatMap((expr) => expr.match(/\b(?:continuo|gen_ai_client)_\w+/gu) ?? []));
  const known = new Map(Object.keys(METRICS).map((name) => [name, prometheusNames(name)]));
  expect([...used].filter((one) => ![...known.values()].flat().includes(one))).toEqual([]);
  const missing = [...known].filter(([, names]) => !names.some((one) => used.has(one)));
  expect(missing).toEqual([]);
});

test("the page of continuous sessions has each measurement with its kind and its words, and no other one", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/live.md"), "utf8");
  const rows = Object.entries(METRICS).map(
    ([name, { kind, unit, says }]) => `| \`${name}\` | ${kind}, ${unit} | ${says} |`,
  );
  const shown = page.split("\n").filter((line) => /^\| `(?:continuo\.live|gen_ai)\./u.test(line));
  expect(shown.toSorted()).toEqual(rows.toSorted());
});

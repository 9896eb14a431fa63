/**
 * A program with an OpenTelemetry SDK that records every span and metric, and the page that documents them. The
 * exported variables belong to the running test.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { handOff } from "@continuo/agents";
import { connect } from "@continuo/core/client";
import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import {
  type Context,
  type ContextManager,
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { jsonSchema, tool } from "ai";
import { expect } from "vitest";
import { MODEL_METRICS } from "../../packages/agents/src/model-agent/telemetry.ts";
import { QUEUE_METRICS } from "../../packages/server/src/runtime/telemetry.ts";
import { createCleaner } from "../../packages/server/src/server/cleaning/cleaner.ts";
import { SERVER_METRICS } from "../../packages/server/src/server/operation/telemetry.ts";
import { RUN_METRICS } from "../../packages/store/src/sessions/telemetry.ts";
import { STORE_METRICS } from "../../packages/store/src/store/engine/telemetry.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "../server/harness/open-server.ts";

const ROOT = join(import.meta.dirname, "../..");
export const PAGE: string = readFileSync(join(ROOT, "docs/telemetry.md"), "utf8");
type Tables = typeof STORE_METRICS &
  typeof RUN_METRICS &
  typeof QUEUE_METRICS &
  typeof MODEL_METRICS &
  typeof SERVER_METRICS;
export const TABLES: Tables = {
  ...STORE_METRICS,
  ...RUN_METRICS,
  ...QUEUE_METRICS,
  ...MODEL_METRICS,
  ...SERVER_METRICS,
};
export const CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
export const SLOW_APPEND = "OTEL_INSTRUMENTATION_CONTINUO_SLOW_APPEND_MS";
export const REMOTE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** The smallest context manager that keeps the span in asynchronous work. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (active, fn, self, ...given) =>
    this.#storage.run(active, () => fn.call(self as never, ...given));
  bind: ContextManager["bind"] = (_, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}

export let spans: InMemorySpanExporter;
export let numbers: InMemoryMetricExporter;
export let reader: PeriodicExportingMetricReader;
export let c: Continuo;
let models: ModelServer;

export async function startRecording(url: string): Promise<void> {
  spans = new InMemorySpanExporter();
  numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
  );
  context.setGlobalContextManager(new AsyncContexts());
  propagation.setGlobalPropagator({
    inject: () => undefined,
    fields: () => ["traceparent"],
    extract: (parent, carrier, getter) => {
      const [, traceId = "", spanId = ""] = String(getter.get(carrier, "traceparent") ?? "").split("-");
      return traceId === "" ? parent : trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1 });
    },
  });
  models = await startModelServer({
    turns: [
      { user: "weather", answers: [[text("I look."), call("weather", { town: "Ulm" })], [text("Rain.")]] },
      { user: "broken", answers: [[{ type: "error", status: 500, message: "secret words" }]] },
    ],
  });
  const weather = tool({
    inputSchema: jsonSchema<{ town: string }>({ type: "object", properties: { town: { type: "string" } } }),
    execute: ({ town }) => `It rains in ${town}.`,
  });
  const model = createOpenAICompatible({ name: "fake", baseURL: `${models.url}/v1` })("fake-1");
  c = await openContinuo(url, {
    agents: [defineAgent({ name: "desk", model, tools: { weather } })],
    pollMs: 20,
    store: { migrate: true },
  });
}

export async function stopRecording(): Promise<void> {
  delete process.env[CAPTURE];
  delete process.env[SLOW_APPEND];
  await c.close({ graceMs: 0 });
  await models.close();
  for (const api of [metrics, trace, context, propagation]) api.disable();
}

/** The rows of the table that begins with this header: the first cell, and all names in code in the row. */
export function documented(header: string): ReadonlyMap<string, readonly string[]> {
  const [, table = ""] = PAGE.split(`| ${header} |`);
  const rows =
    table
      .split("\n\n")[0]
      ?.split("\n")
      .slice(2)
      .filter((row) => row !== "") ?? [];
  return new Map(
    rows.map((row) => {
      const [, first = "", ...cells] = row.split("|");
      const attributes = cells.at(-2) ?? "";
      return [
        first.trim().replaceAll("`", ""),
        [...attributes.matchAll(/`([a-z_.]+)`/gu)].map(([, name = ""]) => name),
      ];
    }),
  );
}

/** Does everything that has a span or a metric. */
export async function useAll(): Promise<string> {
  // The server counts from its start.
  const server = await openServer(c.store);
  const session = c.session("customer-7", { create: true });
  expect((await session.send("What is the weather?").result()).text).toBe("Rain.");
  expect((await session.send("broken").result()).status).toBe("failed");
  const home = scratchFolder("telemetry");
  mkdirSync(join(home, "project"));
  const places = { home, env: {} };
  const source = join(ROOT, "test/fixtures/claude/parallel-tools/home/projects");
  const [file = ""] = globSync(`${source}/*/*.jsonl`);
  await handOff(file, { to: "codex", cwd: join(home, "project"), places, verifyBy: "own" });
  await createCleaner(c.store, () => undefined).look();
  await using ann = await connect({ serverUrl: server.url, channel: "team", handle: "ann" });
  await ann.send("hello");
  await ann.send("hello again");
  await fetch(`${server.url}/v1/channels/team`, {
    headers: { traceparent: `00-${REMOTE}-00f067aa0ba902b7-01` },
  });
  await fetch(`${server.url}/etc/passwd`);
  // Waiting runs are counted for the next reading.
  await fetch(`${server.url}/metrics`);
  const page = await (await fetch(`${server.url}/metrics`)).text();
  await reader.forceFlush();
  await ann.close();
  await server.close();
  return page;
}

export async function exportedNames(): Promise<ReadonlyMap<string, readonly string[]>> {
  await reader.forceFlush();
  const scopes = numbers.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  return new Map(
    scopes
      .filter(({ scope }) => scope.name !== "continuo.live")
      .flatMap((scope) => scope.metrics)
      .map(({ descriptor, dataPoints }) => [
        descriptor.name,
        [...new Set(dataPoints.flatMap(({ attributes }) => Object.keys(attributes)))],
      ]),
  );
}

/**
 * Checks that each finished span has a documented name and documented attributes, and that each documented span exists.
 */
export function expectDocumentedSpans(): void {
  const known = documented("span");
  const seen = new Map<string, Set<string>>();
  for (const { name, attributes } of spans.getFinishedSpans()) {
    const [row = name] = [...known.keys()].filter((one) =>
      new RegExp(`^${one.replaceAll(/[A-Z]+/gu, ".+")}$`, "u").test(name),
    );
    const kind = /^[A-Z]+( \/|$)/u.test(name) ? "METHOD ROUTE" : row;
    seen.set(kind, new Set([...(seen.get(kind) ?? []), ...Object.keys(attributes)]));
  }
  expect([...seen.keys()].toSorted()).toEqual([...known.keys()].toSorted());
  for (const [row, attributes] of known) {
    const has = [...(seen.get(row) ?? [])];
    expect([row, has.filter((name) => !attributes.includes(name))]).toEqual([row, []]);
  }
}

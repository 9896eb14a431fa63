/** The spans and numbers that a program's SDK receives, against the page that documents them. */

import { AsyncLocalStorage } from "node:async_hooks";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { handOff } from "@continuo/agents";
import { connect } from "@continuo/core/client";
import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
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
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MODEL_METRICS } from "../../packages/agents/src/model-agent/telemetry.ts";
import { QUEUE_METRICS } from "../../packages/server/src/runtime/telemetry.ts";
import { createCleaner } from "../../packages/server/src/server/cleaning/cleaner.ts";
import { SERVER_METRICS, seriesOf } from "../../packages/server/src/server/operation/telemetry.ts";
import { RUN_METRICS } from "../../packages/store/src/sessions/telemetry.ts";
import { STORE_METRICS } from "../../packages/store/src/store/engine/telemetry.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "../server/harness/open-server.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/telemetry.md"), "utf8");
const TABLES = { ...STORE_METRICS, ...RUN_METRICS, ...QUEUE_METRICS, ...MODEL_METRICS, ...SERVER_METRICS };
const CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
const SLOW_APPEND = "OTEL_INSTRUMENTATION_CONTINUO_SLOW_APPEND_MS";
const REMOTE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** The smallest one that keeps the span around asynchronous work. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (active, fn, self, ...given) =>
    this.#storage.run(active, () => fn.call(self as never, ...given));
  bind: ContextManager["bind"] = (_, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}

let spans: InMemorySpanExporter;
let numbers: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;
let models: ModelServer;
let c: Continuo;

beforeEach(async () => {
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
  c = await openContinuo("memory:", {
    agents: [defineAgent({ name: "desk", model, tools: { weather } })],
    pollMs: 20,
  });
});
afterEach(async () => {
  delete process.env[CAPTURE];
  delete process.env[SLOW_APPEND];
  await c.close({ graceMs: 0 });
  await models.close();
  for (const api of [metrics, trace, context, propagation]) api.disable();
});

/** The rows of the table that begins with this header: the first cell, and all the names in code of the row. */
function documented(header: string): ReadonlyMap<string, readonly string[]> {
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

/** Does everything of which a span or a number tells. */
async function useAll(): Promise<string> {
  // It counts from its start.
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
  // Runs that wait are counted for the reading after this one.
  await fetch(`${server.url}/metrics`);
  const page = await (await fetch(`${server.url}/metrics`)).text();
  await reader.forceFlush();
  await ann.close();
  await server.close();
  return page;
}

async function exportedNames(): Promise<ReadonlyMap<string, readonly string[]>> {
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

/** Postgres has a pool; nothing is old enough to be cleaned. */
const NOT_HERE = ["continuo.store.pool.connections", "continuo.cleaning.removed"];

test("every number is exported, and is in the page and in /metrics with the same words", async () => {
  const page = await useAll();
  const names = [...(await exportedNames()).keys()];
  const all = Object.keys(TABLES);
  expect(names.toSorted()).toEqual(all.filter((name) => !NOT_HERE.includes(name)).toSorted());
  expect([...documented("metric").keys()]).toEqual(all);
  for (const [name, { kind, unit, says }] of Object.entries(TABLES)) {
    expect(PAGE).toContain(`| \`${name}\` | ${kind}, ${unit} | ${says} |`);
    if (NOT_HERE.includes(name)) continue;
    const ending = { counter: "_total", histogram: "_sum", gauge: "" }[kind];
    expect(page).toMatch(new RegExp(`^continuo_${seriesOf(name)}${ending}[ {]`, "mu"));
  }
  for (const [name, attributes] of await exportedNames()) {
    const told = TABLES[name as keyof typeof TABLES].says;
    const known = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"];
    const unknown = attributes.filter((attribute) => !told.includes(`\`${attribute}\``));
    expect([name, unknown.filter((attribute) => !known.includes(attribute))]).toEqual([name, []]);
  }
});

test("every span has a documented name and documented attributes, below the span of its run or of its trace", async () => {
  process.env[SLOW_APPEND] = "0";
  await useAll();
  const known = documented("span");
  const all = spans.getFinishedSpans();
  const seen = new Map<string, Set<string>>();
  for (const { name, attributes } of all) {
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
  const run = all.find(({ name }) => name === "invoke_agent desk");
  expect(run?.attributes).toMatchObject({
    "gen_ai.conversation.id": "customer-7",
    "continuo.run.status": "completed",
    "gen_ai.usage.input_tokens": expect.any(Number),
  });
  const below = all.filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === run?.spanContext().spanId,
  );
  expect(below.filter(({ name }) => name === "chat fake-1")).toHaveLength(2);
  expect(below.find(({ name }) => name === "execute_tool weather")?.attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "weather",
    "gen_ai.tool.call.id": expect.any(String),
  });
  expect(below.some(({ name }) => name === "append")).toBe(true);
  const request = all.find(({ name }) => name === "GET /v1/channels/:channel");
  expect(request?.spanContext().traceId).toBe(REMOTE);
  // The path of a stranger is no route.
  expect(
    all.find(({ name, attributes }) => name === "GET" && attributes["http.response.status_code"] === 404),
  ).toBeDefined();
});

test("only an append that failed or was slow is a span, with its duration, below the span of the caller", async () => {
  const file = join(scratchFolder("telemetry"), "store.db");
  await using store = await openStore(`sqlite:${file}`);
  await store.createLog({ logId: "log" });
  const append = (sequence: number): Promise<unknown> =>
    store.append("log", [{ type: "custom", data: { name: "n" } }], { expectedSequence: sequence });
  const tracer = trace.getTracer("test");
  const appends = (): readonly ReadableSpan[] =>
    spans.getFinishedSpans().filter(({ name }) => name === "append");
  process.env[SLOW_APPEND] = "3600000";
  await append(0);
  expect(appends()).toEqual([]);

  await tracer.startActiveSpan("caller", async (caller) => {
    await expect(append(0)).rejects.toThrow();
    expect(appends()).toMatchObject([
      {
        attributes: { "continuo.events": 1, "error.type": "conflict" },
        status: { code: 2 },
        parentSpanContext: { spanId: caller.spanContext().spanId },
      },
    ]);
  });

  spans.reset();
  delete process.env[SLOW_APPEND];
  const lock = new DatabaseSync(file);
  lock.exec("BEGIN IMMEDIATE");
  const waiting = append(1);
  await setTimeout(300);
  lock.exec("ROLLBACK");
  lock.close();
  await waiting;
  const [slow] = appends();
  expect(slow?.attributes).toEqual({ "continuo.events": 1 });
  const [seconds = 0, nanoseconds = 0] = slow?.duration ?? [];
  expect(seconds * 1_000 + nanoseconds / 1_000_000).toBeGreaterThan(250);
});

async function eventsOfSdk(): Promise<number> {
  await reader.forceFlush();
  const scopes = numbers.getMetrics().at(-1)?.scopeMetrics ?? [];
  const all = scopes.flatMap((scope) => scope.metrics);
  const events = all.find(({ descriptor }) => descriptor.name === "continuo.store.events");
  return events?.dataPoints.reduce((sum, { value }) => sum + Number(value), 0) ?? 0;
}

test("an SDK and /metrics count all appends up to the moment when they read, and none from before they began", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: "log" });
  const event = { type: "custom", data: { name: "n" } } as const;
  await store.append("log", [event]);
  const server = await openServer(c.store);
  const before = await eventsOfSdk();
  for (let n = 0; n < 150; n += 1) await store.append("log", [event, event]);
  const page = await (await fetch(`${server.url}/metrics`)).text();
  await server.close();
  expect(page).toContain("continuo_store_events_total 300\n");
  expect(page).toContain('continuo_store_append_duration_count{outcome="done"} 150\n');
  expect((await eventsOfSdk()) - before).toBe(300);
});

test("no word of a session, message of an error, machine, user or path is recorded, and contents only if the variable asks for them", async () => {
  const recorded = (): string =>
    JSON.stringify(
      spans.getFinishedSpans().map(({ attributes, events, status }) => [attributes, events, status]),
    );
  await useAll();
  for (const words of ["weather?", "Ulm", "Rain", "hello", "secret words", "broken"]) {
    expect(recorded()).not.toContain(words);
  }
  expect(spans.getFinishedSpans().find(({ attributes }) => attributes["error.type"] === "500")?.name).toBe(
    "chat fake-1",
  );
  await reader.forceFlush();
  const points = numbers.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  const attributes = points.flatMap((scope) =>
    scope.metrics.flatMap(({ dataPoints }) => dataPoints.map((point) => point.attributes)),
  );
  for (const words of [hostname(), userInfo().username, tmpdir(), process.cwd(), "127.0.0.1"]) {
    expect(recorded()).not.toContain(words);
    expect(JSON.stringify(attributes)).not.toContain(words);
  }
  process.env[CAPTURE] = "true";
  await c.session("customer-8", { create: true }).send("What is the weather?").result();
  for (const words of ["What is the weather?", "It rains in Ulm.", "I look."])
    expect(recorded()).toContain(words);
});

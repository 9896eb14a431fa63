/** The spans and metrics that a program's SDK receives agree with the page that documents them. */

import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { openStore } from "@continuo/store";
import { trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seriesOf } from "../../packages/server/src/server/operation/telemetry.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "../server/harness/open-server.ts";
import {
  CAPTURE,
  c,
  documented,
  expectDocumentedSpans,
  exportedNames,
  numbers,
  PAGE,
  REMOTE,
  reader,
  SLOW_APPEND,
  spans,
  startRecording,
  stopRecording,
  TABLES,
  useAll,
} from "./harness.ts";

beforeEach(() => startRecording("memory:"));
afterEach(stopRecording);

/** Metrics without a value here: only Postgres has a pool, and nothing is old enough to be cleaned. */
const NOT_HERE = ["continuo.store.pool.connections", "continuo.cleaning.removed"];

test("every metric is exported, and has the same description on the page and in /metrics", async () => {
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
  expectDocumentedSpans();
  const all = spans.getFinishedSpans();
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
  // An unknown path does not become a route in the metrics.
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

/** The numbers for the operator: what `/metrics` says of counters, gauges and requests. */

import { type Measurement, onMeasurement } from "@continuo/files";
import { afterEach, expect, test, vi } from "vitest";
import { createMetrics } from "./metrics.ts";
import { observeRequest } from "./telemetry.ts";

afterEach(() => void vi.restoreAllMocks());

test("a counter rises by what is counted, each combination of labels by itself", () => {
  const metrics = createMetrics();
  metrics.count("removed_total", { kind: "logs" }, 5);
  metrics.count("removed_total", { kind: "tokens" });
  metrics.count("removed_total", { kind: "logs" }, 2);
  expect(metrics.text().split("\n")).toEqual([
    "# TYPE continuo_removed_total counter",
    'continuo_removed_total{kind="logs"} 7',
    'continuo_removed_total{kind="tokens"} 1',
    "",
  ]);
});

test("a label ends only at its own quotation mark, whatever is in it", () => {
  const metrics = createMetrics();
  metrics.count("x_total", { kind: 'a"} 1\nother_total{kind="b' });
  expect(metrics.text().trimEnd().split("\n")).toEqual([
    "# TYPE continuo_x_total counter",
    String.raw`continuo_x_total{kind="a\"} 1\nother_total{kind=\"b"} 1`,
  ]);
});

test("what a gauge counts while it is read is in the same text", () => {
  const metrics = createMetrics();
  metrics.gauge("depth", () => {
    metrics.count("late_total");
    return 3;
  });
  expect(metrics.text()).toContain("continuo_late_total 1\n");
  expect(metrics.text()).toContain("continuo_depth 3\n");
});

test("a request is measured in seconds and by its route, and a path without a route is in no number", async () => {
  const measured: Measurement[] = [];
  const end = onMeasurement((one) => measured.push(one));
  try {
    const clock = vi.spyOn(performance, "now");
    for (const route of ["/v1/sessions/:session", undefined]) {
      clock.mockReturnValue(1_000);
      await observeRequest(new Request("http://server/v1/sessions/secret-name"), async () => {
        clock.mockReturnValue(1_250);
        return { response: new Response(null, { status: 404 }), route };
      });
    }
  } finally {
    end();
  }
  const durations = measured.filter(({ name }) => name === "http.server.request.duration");
  const said = { "http.request.method": "GET", "http.response.status_code": 404 };
  expect(durations.map(({ value, attributes }) => [value, attributes])).toEqual([
    [0.25, { ...said, "http.route": "/v1/sessions/:session" }],
    [0.25, said],
  ]);
  expect(JSON.stringify(measured)).not.toContain("secret-name");
});

test("the span of a request has the name of its route, and has failed only if the server failed", async () => {
  const KEY = Symbol.for("opentelemetry.js.api.1");
  const before: unknown = Reflect.get(globalThis, KEY);
  const spans: { name: string; hasFailed: boolean }[] = [];
  const startActiveSpan = (name: string, _: object, work: (span: object) => unknown): unknown => {
    const one = { name, hasFailed: false };
    spans.push(one);
    return work({
      updateName: (later: string) => Object.assign(one, { name: later }),
      setStatus: ({ code }: { readonly code: number }) => Object.assign(one, { hasFailed: code === 2 }),
      setAttributes: () => undefined,
      end: () => undefined,
    });
  };
  Reflect.set(globalThis, KEY, { trace: { getTracer: () => ({ startActiveSpan }) } });
  try {
    for (const [status, route] of [
      [200, "/v1/channels"],
      [429, "/v1/channels"],
      [503, undefined],
    ] as const) {
      const response = new Response(null, { status });
      await observeRequest(new Request("http://server/v1/channels"), async () => ({ response, route }));
    }
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, KEY);
    else Reflect.set(globalThis, KEY, before);
  }
  expect(spans).toEqual([
    { name: "GET /v1/channels", hasFailed: false },
    { name: "GET /v1/channels", hasFailed: false },
    { name: "GET", hasFailed: true },
  ]);
});

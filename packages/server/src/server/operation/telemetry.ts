/** Records the metrics of a server, the spans of its requests, and every metric of its process for `/metrics`. */

import {
  createMeter,
  inRemoteSpan,
  type Measurement,
  type Meter,
  type Metric,
  observed,
  onMeasurement,
} from "@continuo/files";
import type { GaugeSeries, Metrics } from "../context/index.ts";

type Counters = "continuo.requests" | "continuo.channel.messages" | "continuo.cleaning.removed";
type Histograms = "http.server.request.duration";
type Gauges = "continuo.connections.open";

export const SERVER_METRICS: Readonly<Record<Counters | Histograms | Gauges, Metric>> = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long a request took until its answer began, by `http.request.method`, `http.route` and `http.response.status_code`.",
  },
  "continuo.requests": {
    kind: "counter",
    unit: "{request}",
    says: "Requests that were answered, by `method` and `status`.",
  },
  "continuo.connections.open": {
    kind: "gauge",
    unit: "{connection}",
    says: "WebSockets, streams and long-polls that are open.",
  },
  "continuo.channel.messages": {
    kind: "counter",
    unit: "{message}",
    says: "Messages of channels that were stored, by `type` of the frame.",
  },
  "continuo.cleaning.removed": {
    kind: "counter",
    unit: "{record}",
    says: "Records that the hourly cleaning removed, by `kind`: `logs`, `tokens`.",
  },
};

export const serverMeter: Meter<Counters, Histograms, Gauges> = createMeter(
  "continuo.server",
  SERVER_METRICS,
);

/** Measures a request by its route, which is known after the answer: a path would name sessions and channels. */
export async function observeRequest(
  request: Request,
  answer: () => Promise<{ readonly response: Response; readonly route: string | undefined }>,
): Promise<Response> {
  const { method, headers } = request;
  const begunMs = performance.now();
  const asked = { "http.request.method": method };
  return await inRemoteSpan(method, { kind: "server", attributes: asked, headers }, async (span) => {
    const { response, route } = await answer();
    const attributes = {
      ...asked,
      "http.response.status_code": response.status,
      ...(route === undefined ? {} : { "http.route": route }),
    };
    span.setAttributes(attributes);
    if (route !== undefined) span.updateName(`${method} ${route}`);
    // 2 is an error in the API of OpenTelemetry.
    if (response.status >= 500) span.setStatus({ code: 2 });
    serverMeter.count("continuo.requests", 1, { method, status: response.status });
    serverMeter.record("http.server.request.duration", (performance.now() - begunMs) / 1_000, attributes);
    return response;
  });
}

const PREFIX = "continuo.";

/** Adds up counters and histograms until the returned function is called; gauges are read on request. */
export function measureProcess(metrics: Metrics): () => void {
  // This call processes the values that were delayed until now, so that they are not counted here.
  observed();
  metrics.gauges(() =>
    [...observed()].map(([name, values]) => ({
      name: seriesOf(name),
      series: values.map(({ value, attributes }): GaugeSeries => ({ value, labels: labelsOf(attributes) })),
    })),
  );
  return onMeasurement((measurement) => countSeries(metrics, measurement));
}

function countSeries(metrics: Metrics, { name, kind, value, attributes }: Measurement): void {
  const series = seriesOf(name);
  const labels = labelsOf(attributes);
  if (kind === "counter") metrics.count(`${series}_total`, labels, value);
  else {
    metrics.count(`${series}_sum`, labels, value);
    metrics.count(`${series}_count`, labels);
  }
}

/** Returns e.g. `live_depth` for `continuo.live.depth`, because every series already begins with `continuo_`. */
export function seriesOf(name: string): string {
  return (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name).replaceAll(".", "_");
}

/** Names of labels have no dots in Prometheus. */
function labelsOf(attributes: Measurement["attributes"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([label, value]) => [label.replaceAll(".", "_"), String(value)]),
  );
}

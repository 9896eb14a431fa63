/** Sends the metrics of a server over OTLP. The packages for it are loaded only if an endpoint is configured. */

import { ContinuoError } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"] as const;

/**
 * Sends metrics as configured by the variables of OpenTelemetry (`OTEL_EXPORTER_OTLP_ENDPOINT`,
 * `OTEL_METRIC_EXPORT_INTERVAL`, `OTEL_SERVICE_NAME`, …). The returned function sends the rest and stops. Errors:
 * `unsupported` if a package is missing.
 */
export async function startTelemetry({ env }: Pick<Shell, "env">): Promise<() => Promise<void>> {
  if (!ENDPOINTS.some((name) => (env[name] ?? "") !== "")) return async () => undefined;
  const { metrics, sdk, otlp, resources } = await load();
  const intervalMs = Number(env.OTEL_METRIC_EXPORT_INTERVAL);
  const exportIntervalMillis = Number.isSafeInteger(intervalMs) && intervalMs > 0 ? intervalMs : 60_000;
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter: new otlp.OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000),
  });
  const provider = new sdk.MeterProvider({
    resource: resources.resourceFromAttributes({ "service.name": env.OTEL_SERVICE_NAME ?? "continuo" }),
    readers: [reader],
  });
  metrics.setGlobalMeterProvider(provider);
  return async () => {
    // An error here, e.g. of a collector that does not answer, does not stop the server from ending.
    await provider.shutdown().catch(() => undefined);
    metrics.disable();
  };
}

interface Packages {
  readonly metrics: typeof import("@opentelemetry/api").metrics;
  readonly sdk: typeof import("@opentelemetry/sdk-metrics");
  readonly otlp: typeof import("@opentelemetry/exporter-metrics-otlp-http");
  readonly resources: typeof import("@opentelemetry/resources");
}

async function load(): Promise<Packages> {
  try {
    const [{ metrics }, sdk, otlp, resources] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/exporter-metrics-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
    return { metrics, sdk, otlp, resources };
  } catch (cause) {
    throw new ContinuoError("unsupported", "cannot send metrics: a package of OpenTelemetry is missing", {
      hint: "Run `npm install @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-metrics-otlp-http`.",
      cause,
    });
  }
}

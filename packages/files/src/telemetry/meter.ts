/** Makes metrics from a table, which has the name, the kind and the description of each. */

import type { Attributes, Counter, Histogram, MeterProvider } from "@opentelemetry/api";
import { registered } from "./globals.ts";

export interface Metric {
  readonly kind: "counter" | "histogram" | "gauge";
  /** The unit in UCUM. */
  readonly unit: string;
  readonly says: string;
}

/** One number that was counted or recorded. */
export interface Measurement {
  readonly name: string;
  readonly kind: "counter" | "histogram";
  readonly value: number;
  readonly attributes: Attributes;
}

/** One value of a gauge. */
export interface Observation {
  readonly value: number;
  readonly attributes: Attributes;
}

type Source = () => Iterable<Observation>;

export interface Meter<Counters extends string, Histograms extends string, Gauges extends string = never> {
  /** Does nothing for a value that is not above 0. */
  count(name: Counters, value?: number, attributes?: Attributes): void;
  record(name: Histograms, value: number, attributes?: Attributes): void;
  /** False if nobody receives a value that is counted or recorded now. */
  isRead(): boolean;
  /** Calls `read` whenever the gauge is read, until the returned function is called. */
  observe(name: Gauges, read: Source): () => void;
}

const listeners = new Set<(measurement: Measurement) => void>();
const gauges = new Map<string, Set<Source>>();

/** Calls the listener with each number of this process, also without a provider. The returned function ends this. */
export function onMeasurement(listener: (measurement: Measurement) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The gauges of this process with their current values, by name. */
export function observed(): ReadonlyMap<string, readonly Observation[]> {
  return new Map([...gauges].map(([name, sources]) => [name, valuesOf(sources)]));
}

/** Values with the same attributes are added: several stores or servers may be open in one process. */
function valuesOf(sources: ReadonlySet<Source>): readonly Observation[] {
  const sums = new Map<string, Observation>();
  for (const source of sources) {
    for (const { value, attributes } of source()) {
      const key = JSON.stringify(attributes);
      sums.set(key, { value: (sums.get(key)?.value ?? 0) + value, attributes });
    }
  }
  return [...sums.values()];
}

interface Instruments {
  readonly provider: MeterProvider;
  readonly counters: ReadonlyMap<string, Counter>;
  readonly histograms: ReadonlyMap<string, Histogram>;
}

/** `scope` is the name of the meter, such as `continuo.store`. */
export function createMeter<
  Counters extends string,
  Histograms extends string,
  Gauges extends string = never,
>(
  scope: string,
  table: Readonly<Record<Counters | Histograms | Gauges, Metric>>,
): Meter<Counters, Histograms, Gauges> {
  let instruments: Instruments | null = null;
  /** `null` without a provider. */
  const present = (): Instruments | null => {
    const { metrics: provider } = registered();
    if (instruments?.provider !== provider) {
      instruments = provider === undefined ? null : instrumentsOf(provider, scope, table);
    }
    return instruments;
  };
  return {
    count: (name, value = 1, attributes = {}) => {
      if (value <= 0) return;
      present()?.counters.get(name)?.add(value, attributes);
      for (const listener of listeners) listener({ name, kind: "counter", value, attributes });
    },
    record: (name, value, attributes = {}) => {
      present()?.histograms.get(name)?.record(value, attributes);
      for (const listener of listeners) listener({ name, kind: "histogram", value, attributes });
    },
    isRead: () => listeners.size > 0 || registered().metrics !== undefined,
    observe: (name, read) => {
      const sources = gauges.get(name) ?? new Set<Source>();
      gauges.set(name, sources.add(read));
      present();
      return () => sources.delete(read);
    },
  };
}

function instrumentsOf(
  provider: MeterProvider,
  scope: string,
  table: Readonly<Record<string, Metric>>,
): Instruments {
  const meter = provider.getMeter(scope);
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, { kind, unit, says: description }] of Object.entries(table)) {
    if (kind === "counter") counters.set(name, meter.createCounter(name, { unit, description }));
    else if (kind === "histogram") histograms.set(name, meter.createHistogram(name, { unit, description }));
    else {
      meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
        for (const { value, attributes } of valuesOf(gauges.get(name) ?? new Set()))
          result.observe(value, attributes);
      });
    }
  }
  return { provider, counters, histograms };
}

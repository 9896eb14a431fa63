/** The numbers of a store, and the span of an append. */

import type { StoredEvent } from "@continuo/core/model";
import { createMeter, inSpan, type Meter, type Metric } from "@continuo/files";

type Counters = "continuo.store.events" | "continuo.store.leases";
type Histograms = "continuo.store.append.duration" | "continuo.store.tail.lag";
type Gauges = "continuo.store.pool.connections";

export const STORE_METRICS: Readonly<Record<Counters | Histograms | Gauges, Metric>> = {
  "continuo.store.append.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long an append took, by `outcome`: `done`, `failed`.",
  },
  "continuo.store.events": { kind: "counter", unit: "{event}", says: "Events that were appended." },
  "continuo.store.tail.lag": {
    kind: "histogram",
    unit: "s",
    says: "From the commit of an event until this process read it for those who wait at the end of its log.",
  },
  "continuo.store.leases": {
    kind: "counter",
    unit: "{lease}",
    says: "Leases that were asked for, by `outcome`: `acquired`, `refused`, `renewed`, `lost`.",
  },
  "continuo.store.pool.connections": {
    kind: "gauge",
    unit: "{connection}",
    says: "Connections to Postgres, by `state`: `used`, `idle`, and `waiting` for callers that wait for one.",
  },
};

export const storeMeter: Meter<Counters, Histograms, Gauges> = createMeter("continuo.store", STORE_METRICS);

/** Measures an append; `work` begins at once. */
export async function measuredAppend(
  count: number,
  work: () => Promise<readonly StoredEvent[]>,
): Promise<readonly StoredEvent[]> {
  const begunMs = performance.now();
  let outcome = "failed";
  try {
    const stored = await inSpan("append", { attributes: { "continuo.events": count } }, work);
    outcome = "done";
    storeMeter.count("continuo.store.events", count);
    return stored;
  } finally {
    storeMeter.record("continuo.store.append.duration", (performance.now() - begunMs) / 1_000, { outcome });
  }
}

/** Counts a lease as `done`, or as `failed` with any error. */
export async function countedLease<Lease>(
  work: Promise<Lease>,
  { done, failed }: { readonly done: string; readonly failed: string },
): Promise<Lease> {
  let outcome = failed;
  try {
    const lease = await work;
    outcome = done;
    return lease;
  } finally {
    storeMeter.count("continuo.store.leases", 1, { outcome });
  }
}

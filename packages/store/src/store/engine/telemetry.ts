/** The metrics of a store, and the spans of appends that failed or were slow. */

import type { StoredEvent } from "@continuo/core/model";
import { createMeter, type Meter, type Metric, recordSpan, slowAppendMs } from "@continuo/files";

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

const DONE = { outcome: "done" };
const FAILED = { outcome: "failed" };

/**
 * The durations of appends, in seconds, that the meter has not received yet. An SDK takes 7 µs to record a single
 * value, because its code is no longer in the processor's caches, but 0.3 µs for each value if it records many at a
 * time.
 */
let durations: number[] = [];
let events = 0;
const MAX_DURATIONS = 64;

/** Every reader reads the gauges first, so this gauge records the waiting durations before they are read. */
storeMeter.observe("continuo.store.pool.connections", () => {
  recordAppends();
  return [];
});

function recordAppends(): void {
  const [recorded, count] = [durations, events];
  [durations, events] = [[], 0];
  storeMeter.count("continuo.store.events", count);
  for (const seconds of recorded) storeMeter.record("continuo.store.append.duration", seconds, DONE);
}

/** Measures an append; `work` begins immediately. */
export async function measuredAppend(
  count: number,
  work: () => Promise<readonly StoredEvent[]>,
): Promise<readonly StoredEvent[]> {
  const startedAtMs = performance.now();
  try {
    const stored = await work();
    const endedAtMs = performance.now();
    const tookMs = endedAtMs - startedAtMs;
    if (storeMeter.isRead()) {
      events += count;
      if (durations.push(tookMs / 1_000) >= MAX_DURATIONS) recordAppends();
    }
    if (tookMs >= slowAppendMs())
      recordSpan("append", { startedAtMs, endedAtMs, attributes: { "continuo.events": count } });
    return stored;
  } catch (error) {
    const endedAtMs = performance.now();
    storeMeter.record("continuo.store.append.duration", (endedAtMs - startedAtMs) / 1_000, FAILED);
    recordSpan("append", { startedAtMs, endedAtMs, attributes: { "continuo.events": count }, error });
    throw error;
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

/** The number of runs that wait in the store, for telemetry. */

import { createMeter, type Meter, type Metric } from "@continuo/files";

export const QUEUE_METRICS: Readonly<Record<"continuo.run.waiting", Metric>> = {
  "continuo.run.waiting": {
    kind: "gauge",
    unit: "{run}",
    says: "Runs in the store that no process executes yet. They are counted whenever the number is read, for the next reading.",
  },
};

const meter: Meter<never, never, "continuo.run.waiting"> = createMeter("continuo.runtime", QUEUE_METRICS);

/**
 * The callback of a gauge must return at once, but the store must count the runs. So each reading starts a count, and
 * returns the result of an earlier one. The returned function ends the gauge.
 */
export function observeWaiting(count: () => Promise<number>): () => void {
  let value: number | null = null;
  let counting = false;
  const refresh = async (): Promise<void> => {
    counting = true;
    try {
      value = await count();
    } catch {
      // The store cannot be reached: an earlier number would hide that.
      value = null;
    } finally {
      counting = false;
    }
  };
  return meter.observe("continuo.run.waiting", () => {
    if (!counting) void refresh();
    return value === null ? [] : [{ value, attributes: {} }];
  });
}

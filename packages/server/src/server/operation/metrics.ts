/** Counters and gauges as Prometheus text. */

import type { Metrics } from "../context/index.ts";

/** Only our code names counters and labels, so their number is bounded. */
export function createMetrics(): Metrics {
  const counters = new Map<string, Map<string, number>>();
  const gauges = new Map<string, Parameters<Metrics["gauge"]>[1]>();
  const sources: Parameters<Metrics["gauges"]>[0][] = [];
  return {
    count: (name, labels = {}, by = 1) => {
      const series = counters.get(name) ?? new Map<string, number>();
      counters.set(name, series);
      const key = labelText(labels);
      series.set(key, (series.get(key) ?? 0) + by);
    },
    gauge: (name, read) => {
      gauges.set(name, read);
    },
    gauges: (read) => void sources.push(read),
    text: () => {
      // The gauges are read first, because a source may then count what it had put off.
      const own = [...gauges].map(([name, read]) => {
        const now = read();
        return { name, series: typeof now === "number" ? [{ labels: {}, value: now }] : now };
      });
      const read = [...own, ...sources.flatMap((source) => source())];
      const lines: string[] = [];
      for (const [name, series] of counters) {
        lines.push(`# TYPE continuo_${name} counter`);
        for (const [labels, value] of series) lines.push(`continuo_${name}${labels} ${value}`);
      }
      for (const { name, series } of read) {
        lines.push(`# TYPE continuo_${name} gauge`);
        for (const { labels, value } of series) lines.push(`continuo_${name}${labelText(labels)} ${value}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

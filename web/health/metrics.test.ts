import { expect, test } from "vitest";
import { readMetrics } from "./metrics.ts";

test("requests are summed over their labels, and what is unknown is left out", () => {
  const text = [
    "# TYPE continuo_requests_total counter",
    'continuo_requests_total{method="GET",status="200"} 12',
    'continuo_requests_total{method="POST",status="503"} 2',
    "continuo_records_appended_total 7",
    "# TYPE continuo_connections_open gauge",
    "continuo_connections_open 3",
    "",
  ].join("\n");
  expect(readMetrics(text)).toEqual({ connections: 3, requests: 14, failed: 2 });
  expect(readMetrics("")).toEqual({ connections: 0, requests: 0, failed: 0 });
});

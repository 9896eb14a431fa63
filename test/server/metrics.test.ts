import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

test("/metrics is Prometheus text, and its counters count", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const read = async (): Promise<{ readonly type: string | null; readonly lines: readonly string[] }> => {
    const response = await fetch(`${server.url}/metrics`);
    const text = await response.text();
    expect(text.endsWith("\n")).toBe(true);
    return { type: response.headers.get("content-type"), lines: text.trimEnd().split("\n") };
  };
  const total = (lines: readonly string[]): number =>
    lines
      .filter((line) => line.startsWith("continuo_requests"))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  await fetch(`${server.url}/healthz`);
  const first = await read();
  expect(first.type).toBe("text/plain; version=0.0.4; charset=utf-8");
  const series = /^continuo_[a-z_]+(\{[a-z_]+="[^"\\\n]*"(,[a-z_]+="[^"\\\n]*")*\})? -?\d+(\.\d+)?$/u;
  const type = /^# TYPE continuo_[a-z_]+ (counter|gauge)$/u;
  expect(first.lines.filter((line) => !series.test(line) && !type.test(line))).toEqual([]);
  await fetch(`${server.url}/healthz`);
  expect(total((await read()).lines)).toBeGreaterThan(total(first.lines));
  await server.close();
});

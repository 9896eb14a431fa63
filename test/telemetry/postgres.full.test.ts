/** The spans and metrics on Postgres agree with the page that documents them. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { seriesOf } from "../../packages/server/src/server/operation/telemetry.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import {
  c,
  expectDocumentedSpans,
  exportedNames,
  numbers,
  reader,
  SLOW_APPEND,
  startRecording,
  stopRecording,
  TABLES,
  useAll,
} from "./harness.ts";

beforeEach(async () => startRecording(await newPostgresDatabase()));
afterEach(stopRecording);

test("on Postgres, each metric is exported and in /metrics, also the pool, leases and removed rows", async () => {
  await c.store.createLog({ logId: "old", ttl: 0.001 });
  const page = await useAll();
  expect([...(await exportedNames()).keys()].toSorted()).toEqual(Object.keys(TABLES).toSorted());
  for (const [name, { kind }] of Object.entries(TABLES)) {
    const ending = { counter: "_total", histogram: "_sum", gauge: "" }[kind];
    expect(page).toMatch(new RegExp(`^continuo_${seriesOf(name)}${ending}[ {]`, "mu"));
  }
  for (const [name, attributes] of await exportedNames()) {
    const told = TABLES[name as keyof typeof TABLES].says;
    const own = attributes.filter((attribute) => !attribute.startsWith("gen_ai."));
    expect([name, own.filter((attribute) => !told.includes(`\`${attribute}\``))]).toEqual([name, []]);
  }
  expect(page).toContain('continuo_cleaning_removed_total{kind="logs"} 1\n');
  expect(page).toMatch(/^continuo_store_leases_total\{outcome="acquired"\} [1-9]/mu);
});

test("on Postgres, the connections that are used, idle and waited for are counted at the moment of the reading", async () => {
  const states = async (): Promise<Readonly<Record<string, number>>> => {
    await reader.forceFlush();
    const all =
      numbers
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
    const pool = all.find(({ descriptor }) => descriptor.name === "continuo.store.pool.connections");
    return Object.fromEntries(
      (pool?.dataPoints ?? []).map(({ attributes, value }) => [String(attributes.state), Number(value)]),
    );
  };
  const reads = Array.from({ length: 3_000 }, () => c.store.getSession("customer-7"));
  expect((await states()).waiting).toBeGreaterThan(100);
  await expect.poll(async () => (await states()).used, { interval: 5 }).toBeGreaterThan(0);
  await Promise.all(reads);
  await expect.poll(states).toMatchObject({ used: 0, waiting: 0, idle: expect.any(Number) });
});

test("on Postgres, each span has a documented name and documented attributes", async () => {
  process.env[SLOW_APPEND] = "0";
  await useAll();
  expectDocumentedSpans();
});

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { startChild } from "../harness/lines.ts";
import { testPostgres } from "../harness/postgres-server.ts";
import { type Operation, violationsOf } from "./history.ts";

const PROCESSES = 8;
const APPENDS = 5_000;
const FENCED_APPENDS = 150;

const folder = mkdtempSync(join(tmpdir(), "continuo-concurrency-"));
let server: Awaited<ReturnType<typeof testPostgres>>;

beforeAll(async () => {
  server = await testPostgres();
  await (await openStore(server.url, { migrate: true })).close();
}, 300_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

async function runAll(
  script: string,
  url: string,
  logId: string,
  count: number,
): Promise<readonly Operation[]> {
  const path = join(import.meta.dirname, "../processes", script);
  const histories = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, n) => {
      const file = join(folder, `${logId}-${n}.json`);
      const child = startChild([path, url, logId, `p${n}`, String(count), file]);
      expect(await child.ended()).toBe(0);
      return JSON.parse(readFileSync(file, "utf8")) as Operation[];
    }),
  );
  return histories.flat();
}

const ENGINES = { sqlite: () => `sqlite:${join(folder, "store.db")}`, postgres: () => server.url };

describe.each(Object.entries(ENGINES))("%s", (_, url) => {
  test("8 processes append 5,000 events each by compare-and-swap", { timeout: 1_200_000 }, async () => {
    await using store = await openStore(url());
    const { logId } = await store.createLog();
    const history = await runAll("appender.ts", url(), logId, APPENDS);
    expect(violationsOf(history)).toEqual([]);
    const appends = history.filter((operation) => operation.type === "append");
    expect(new Set(appends.map((append) => append.id)).size).toBe(PROCESSES * APPENDS);
    expect(appends.length).toBeGreaterThan(PROCESSES * APPENDS);
    expect(await store.verify(logId)).toEqual({
      ok: true,
      checkedCount: PROCESSES * APPENDS,
      prunedCount: 0,
    });
  });

  test("8 processes fight for a lease: no append with an old token comes after a greater one", {
    timeout: 1_200_000,
  }, async () => {
    await using store = await openStore(url());
    const { logId } = await store.createLog();
    const history = await runAll("fencer.ts", url(), logId, FENCED_APPENDS);
    expect(violationsOf(history)).toEqual([]);
    const count = (type: Operation["type"]): number =>
      history.filter((operation) => operation.type === type).length;
    expect(count("acquire")).toBeGreaterThan(PROCESSES);
    expect(count("fenced")).toBeGreaterThan(0);
    expect(count("append")).toBe(await store.latestSequence(logId));
  });
});

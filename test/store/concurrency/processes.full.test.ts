import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { startChild } from "../harness/lines.ts";
import { type Operation, type Sight, violationsOf } from "./history.ts";

const PROCESSES = 8;
const APPENDS = 1_000;
const FENCED_APPENDS = 150;

const folder = scratchFolder("concurrency");
let postgres: string;

beforeAll(async () => {
  postgres = await newPostgresDatabase();
  await (await openStore(postgres, { migrate: true })).close();
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

/** The whole log at the end, which shows the outcome of calls without an answer. */
async function everything(store: Store, logId: string): Promise<Operation> {
  const events: (Sight & { readonly at: number })[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, { after });
    const at = Number(process.hrtime.bigint());
    for (const { sequence, id, chainHash: chain } of page.events) events.push({ sequence, id, chain, at });
    after = page.nextAfter;
  }
  return { type: "tail", events };
}

const ENGINES = { sqlite: () => `sqlite:${join(folder, "store.db")}`, postgres: () => postgres };

describe.each(Object.entries(ENGINES))("%s", (_, url) => {
  test("8 processes append 1,000 events each by compare-and-swap", { timeout: 1_200_000 }, async () => {
    await using store = await openStore(url());
    const { logId } = await store.createLog();
    const history = await runAll("appender.ts", url(), logId, APPENDS);
    expect(violationsOf([...history, await everything(store, logId)])).toEqual([]);
    const types = new Set(history.map((operation) => operation.type));
    expect([...types].sort()).toEqual(["append", "conflict", "head", "page", "tail", "unknown"]);
    const appends = history.filter(({ type }) => type === "append" || type === "unknown");
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

/** Appends, runs and continuous sessions on the store, compared with the layers below them. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { timeInTurn } from "../handoff/times.ts";
import { postAtOnce } from "../live/at-once.ts";
import { manySessions } from "../live/many.ts";
import { timeRuns } from "../runs/bench.ts";
import { eventsOf } from "../store/appends.ts";
import { openBare } from "../store/bare.ts";
import { benchPostgres } from "../store/postgres.ts";
import { openReference } from "../store/reference.ts";
import { inTurn, rateOf } from "../store/sampling.ts";
import type { Row, Rows, WaitsOptions } from "./rows.ts";
import { measured, notMeasured } from "./targets.ts";

/**
 * A folder in memory, if the system has one: nothing waits for a disk, and the processor time is the same everywhere.
 */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const LIVE_SESSIONS = 100;
const BATCHES = [
  [1, 2_000, "append1"],
  [10, 5_000, "append10"],
  [100, 20_000, "append100"],
] as const;

export async function storeRows(options: WaitsOptions): Promise<Rows> {
  const [memory, disk] = [MEMORY, tmpdir()].map((place) => mkdtempSync(join(place, "continuo-bench-waits-")));
  try {
    return [
      ...(await appendRows(memory ?? "", Math.max(options.rounds, 9))),
      await referenceRow(disk ?? "", options),
      await postgresRow(),
      await runsRow(memory ?? "", options),
      ...(await liveRows(disk ?? "")),
    ];
  } finally {
    for (const folder of [memory, disk]) rmSync(folder ?? "", { recursive: true, force: true });
  }
}

async function appendRows(folder: string, rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [batch, events, name] of BATCHES) {
    const bare = openBare(join(folder, `bare-${batch}.db`));
    const store = await openStore(`sqlite:${join(folder, `store-${batch}.db`)}`);
    const { logId } = await store.createLog();
    const { bare: least = Number.NaN, ours = Number.NaN } = await timeInTurn(rounds, {
      bare: async () => {
        for (let n = 0; n < events; n += batch) bare.append(eventsOf(batch));
      },
      ours: async () => {
        for (let n = 0; n < events; n += batch) await store.append(logId, eventsOf(batch));
      },
    });
    bare.close();
    await store.close();
    const each = [least, ours].map((ms) => ((ms / events) * 1_000).toFixed(1));
    rows.push(measured(name, least / ours, `${each[0]} / ${each[1]} µs an event, in memory`));
  }
  return rows;
}

/** Compares appends with the reference server by the clock, because both wait for the disk. */
async function referenceRow(folder: string, { rounds, quick }: WaitsOptions): Promise<Row> {
  const [batch, events] = [100, 20_000];
  const reference = await openReference(folder, batch);
  const store = await openStore(`sqlite:${join(folder, "reference.db")}`);
  const { logId } = await store.createLog();
  const [theirs] = reference.contenders(events / batch, events);
  const ours = {
    name: "ours",
    run: async () => {
      for (let n = 0; n < events; n += batch) await store.append(logId, eventsOf(batch));
      return events;
    },
  };
  const sampled = await inTurn(
    theirs === undefined ? [ours] : [ours, theirs],
    quick ? 3 : Math.max(5, rounds),
  );
  await store.close();
  await reference.close();
  const now = rateOf(sampled, "ours") / rateOf(sampled, theirs?.name ?? "");
  return measured("reference", now, "rates, on the disk");
}

async function postgresRow(): Promise<Rows[number]> {
  try {
    const ratios = await benchPostgres(3);
    const now = ratios.at(-1)?.ratio ?? Number.NaN;
    return measured("postgres", now, "rates of appends to one log");
  } catch (error) {
    return notMeasured("postgres", String(error).split("\n")[0] ?? "");
  }
}

async function runsRow(folder: string, { rounds }: WaitsOptions): Promise<Row> {
  const { executed, appended } = await timeRuns(folder, Math.max(5, rounds));
  return measured("runs", executed / appended, "in memory, where nothing waits: one process");
}

async function liveRows(folder: string): Promise<readonly Row[]> {
  await using store = await openStore(`sqlite:${join(folder, "live.db")}`);
  const [found] = await manySessions(store, [LIVE_SESSIONS]);
  const { cpuMs = Number.NaN, p99Ms = Number.NaN } = found ?? {};
  const { p99Ms: atOnceMs, medianMs } = await postAtOnce(folder, LIVE_SESSIONS);
  return [
    measured("liveWork", cpuMs, "of the whole process"),
    measured("liveWait", p99Ms, "until it is acknowledged"),
    measured("liveAtOnce", atOnceMs, `a server's process; median ${medianMs.toFixed(0)} ms`),
  ];
}

/** Rounds of a crash test: in each round, writers start on one log, and each writer is killed at a random moment. */

import type { Store } from "@continuo/core/model";
import { expect } from "vitest";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import { acknowledgedBy, lossesOf } from "../harness/acknowledged-events.ts";
import { startChild } from "../harness/lines.ts";

const WRITER = await bundledProgram("test/store/processes/writer.ts");

export interface Rounds {
  readonly url: string;
  readonly store: Store;
  readonly kills: number;
  /** The number of writers at the same time. */
  readonly writers: number;
}

export interface Outcome {
  readonly kills: number;
  readonly acknowledged: number;
}

export async function killWriters({ url, store, kills, writers }: Rounds): Promise<Outcome> {
  const { logId } = await store.createLog();
  let killed = 0;
  let acknowledged = 0;
  while (killed < kills) {
    const after = await store.latestSequence(logId);
    const names = Array.from({ length: Math.min(writers, kills - killed) }, (_, n) => `w${killed + n}`);
    const round = await Promise.all(names.map((name) => writeAndDie(url, logId, name)));
    killed += round.length;
    for (const { batches } of round) acknowledged += batches.size;
    expect(await lossesOf(store, logId, { after, writers: round })).toEqual([]);
  }
  // A server may still commit an append that a writer sent just before it died, so the log may grow beyond this end.
  const end = await store.latestSequence(logId);
  const checked = await store.verify(logId);
  expect(checked).toMatchObject({ ok: true, prunedCount: 0 });
  expect(checked.checkedCount).toBeGreaterThanOrEqual(end);
  return { kills: killed, acknowledged };
}

async function writeAndDie(url: string, logId: string, name: string) {
  const child = startChild([WRITER, url, logId, name]);
  // Some processes are killed while they open the store, most while they write.
  await child.line(Math.random() < 0.1 ? "started" : "ack");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
  child.process.kill("SIGKILL");
  await child.ended();
  expect(child.process.signalCode).toBe("SIGKILL");
  return acknowledgedBy(name, child.lines);
}

/**
 * Forty messages wait in eight sessions while their two workers are killed at random moments: each message is answered once,
 * in the order of its session, and everybody who waits for an answer gets it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { RUN_END_STATUSES, type StoredEvent } from "@continuo/core/model";
import { openContinuo, type RunHandle } from "@continuo/server/runtime";
import { rootIn } from "@continuo/store/sessions";
import { afterEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram, newPostgresDatabase } from "../sizes/shared-programs.ts";

const KILLS = Number(process.env.CONTINUO_KILLS ?? 12);
const SESSIONS = Array.from({ length: 8 }, (_, at) => `s${at}`);
const MESSAGES = ["1", "2", "3", "4", "5"];

const workers = new Set<ChildProcess>();
afterEach(async () => {
  for (const worker of workers) await kill(worker);
});

async function start(args: readonly string[]): Promise<ChildProcess> {
  const worker = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  workers.add(worker);
  await new Promise<void>((resolve) => createInterface(worker.stdout).once("line", () => resolve()));
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  workers.delete(worker);
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  worker.kill("SIGKILL");
  await exited;
}

const ENDS: readonly string[] = RUN_END_STATUSES.map((status) => `run_${status}`);

test.each(["sqlite", "postgres"] as const)(
  "of 40 messages that wait in %s none is lost or answered twice, although workers are killed at random moments",
  { timeout: 540_000 },
  async (engine) => {
    const folder = scratchFolder(`killed-queue-${engine}`);
    mkdirSync(folder, { recursive: true });
    const url = engine === "sqlite" ? `sqlite:${join(folder, "store.db")}` : await newPostgresDatabase();
    await using c = await openContinuo(url, { work: false, pollMs: 20, store: { migrate: true } });
    const runs: RunHandle[] = [];
    for (const id of MESSAGES) {
      for (const name of SESSIONS) {
        const run = c.session(name, { create: true }).send(`${name}/${id}`, { id, agent: "clerk" });
        await run;
        runs.push(run);
      }
    }
    // They wait from before the first worker until after the last kill.
    const results = Promise.all(runs.map((run) => run.result()));
    const streams = Promise.all(runs.slice(-SESSIONS.length).map((run) => Array.fromAsync(run)));

    const args = [await bundledProgram("test/runtime/processes/queue-worker.ts"), url];
    const pair = await Promise.all([start(args), start(args)]);
    let cutOff = 0;
    for (let count = 0; count < KILLS; count++) {
      await sleep(Math.random() * 250);
      const at = count % 2;
      const before = (await c.store.listRuns({ status: "running" })).items.length;
      await kill(pair[at] as ChildProcess);
      if (before > 0) cutOff += 1;
      pair[at] = await start(args);
    }
    const answered = await results;
    expect(cutOff).toBeGreaterThan(0);
    expect(answered.map(({ status }) => status)).toEqual(runs.map(() => "completed"));
    for (const events of await streams) expect(events.at(-1)?.type).toBe("run_completed");

    let attempts = 0;
    for (const name of SESSIONS) {
      const { events } = await c.store.read(name);
      const { items } = await c.store.listRuns({ sessionId: name });
      attempts += items.length;
      expect([name, faultsOf(events)]).toEqual([name, []]);
      const roots = new Map(items.map((run) => [run.runId, rootIn(run)]));
      const completed = events.filter(({ type }) => type === "run_completed");
      const sent = await Promise.all(MESSAGES.map(async (id) => (await c.session(name).run(id)).runId));
      expect([name, completed.map(({ runId = "" }) => roots.get(runId))]).toEqual([name, sent]);
      expect((await c.store.verify(name)).ok).toBe(true);
      const { messages } = await c.session(name).chat();
      const asked = messages.filter(({ role }) => role === "user");
      expect(
        asked.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join("")),
      ).toEqual(MESSAGES.map((id) => `${name}/${id}`));
    }
    // At least one run was cut off, and was tried again.
    expect(attempts).toBeGreaterThan(runs.length);
    expect((await c.store.listRuns({ status: ["pending", "running"] })).items).toEqual([]);
  },
);

/** Runs of one session that overlap, that end twice or never, or that write after their end; as sentences. */
function faultsOf(events: readonly StoredEvent[]): readonly string[] {
  const faults: string[] = [];
  const ended = new Set<string>();
  let current: string | null = null;
  for (const { type, runId, sequence } of events) {
    if (runId === undefined) continue;
    if (ended.has(runId)) faults.push(`${type} at ${sequence} comes after the end of its run`);
    if (type === "run_started") {
      if (current !== null) faults.push(`a run starts at ${sequence}, and another one has no end`);
      current = runId;
    }
    if (ENDS.includes(type)) {
      ended.add(runId);
      if (current === runId) current = null;
    }
  }
  if (current !== null) faults.push(`${current} has no end`);
  return faults;
}

/** A deployment ends workers with SIGTERM while an agent answers: it costs no attempt of the message. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";

const WORKER = join(import.meta.dirname, "processes/closed-worker.ts");
let folder: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-closed-"));
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(folder, { recursive: true });
});

interface Worker {
  readonly answers: Promise<void>;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

function startWorker(words: number): Worker {
  const args = [WORKER, `sqlite:${join(folder, "jobs.db")}`, String(words)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const answers = new Promise<void>((resolve) => {
    createInterface(child.stdout).on("line", (line) => line === "answers" && resolve());
  });
  return {
    answers,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

test("three SIGTERMs during one answer cost no attempt, and the next process answers at once", async () => {
  await using c = await openContinuo(`sqlite:${join(folder, "jobs.db")}`, { work: false, recover: "retry" });
  const job = c.session("job", { create: true });
  const { runId } = await job.send("a long job", { id: "job", agent: "slow" });
  for (let n = 1; n <= 3; n++) {
    const worker = startWorker(1_000);
    await worker.answers;
    expect(await worker.end("SIGTERM")).toBe(0);
    // The next attempt waits before any other process has looked for dead ones.
    const [next, ...others] = (await c.store.listRuns({ status: ["pending", "running"] })).items;
    expect([next?.status, next?.metadata.attempt, others.length]).toEqual(["pending", 1, 0]);
    const ends = (await c.store.listRuns({ status: "interrupted" })).items;
    expect(ends).toHaveLength(n);
  }
  // A crash counts.
  const killed = startWorker(1_000);
  await killed.answers;
  await killed.end("SIGKILL");
  startWorker(4);
  expect(await job.run("job").result()).toMatchObject({ status: "completed" });
  const attempts = (await c.store.listRuns({ status: "completed" })).items.map(({ metadata }) => metadata);
  expect(attempts).toMatchObject([{ attempt: 2, retryOf: runId }]);
  expect(await c.deadLetters.list()).toEqual([]);
  const { events } = await c.store.read("job", { types: ["run_interrupted", "message_received"] });
  const reasons = events.flatMap(({ data }) => (data as { readonly reason?: string }).reason ?? []);
  expect(reasons).toEqual([
    ...Array(3).fill("the process that ran it was closed"),
    "the process that ran it ended",
  ]);
  // The log keeps the words before each end.
  expect(events.filter(({ type }) => type === "message_received").length).toBeGreaterThanOrEqual(4);
}, 120_000);

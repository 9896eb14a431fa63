/**
 * A message whose agent ends the process of its worker, among messages that run at the same time: only the guilty message
 * is given up.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openContinuo } from "@continuo/server/runtime";
import { afterEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram, newPostgresDatabase } from "../sizes/shared-programs.ts";

const INNOCENT = ["a", "b", "c", "d", "e", "f", "g"];

const workers = new Set<ChildProcess>();
let isOver = false;
afterEach(() => {
  isOver = true;
  for (const worker of workers) worker.kill("SIGKILL");
});

/** A supervisor starts its worker again whenever it ended. Returns the number of ends. */
function supervise(args: readonly string[]): () => number {
  let ends = 0;
  const start = (): void => {
    const worker = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    workers.add(worker);
    worker.once("exit", () => {
      workers.delete(worker);
      if (isOver) return;
      ends++;
      start();
    });
  };
  start();
  return () => ends;
}

interface Line {
  readonly pid: number;
  readonly what: "begin" | "end";
  readonly text: string;
}

test.each([
  ["sqlite", 1],
  ["sqlite", 2],
  ["postgres", 2],
] as const)(
  "in %s with %i workers, only the message that ends its process is given up, and all others are answered",
  { timeout: 180_000 },
  async (engine, count) => {
    isOver = false;
    const folder = scratchFolder(`guilty-message-${engine}-${count}`);
    mkdirSync(folder, { recursive: true });
    const ledger = join(folder, "ledger");
    writeFileSync(ledger, "");
    const url = engine === "sqlite" ? `sqlite:${join(folder, "store.db")}` : await newPostgresDatabase();
    await using c = await openContinuo(url, { work: false, pollMs: 20, store: { migrate: true } });
    const sent = ["poison", ...INNOCENT].map((text) =>
      c.session(`session-${text}`, { create: true }).send(text, { id: text, agent: "clerk" }),
    );
    const [guilty] = await Promise.all(sent);

    const args = [await bundledProgram("test/runtime/processes/crash-worker.ts"), url, ledger];
    const supervisors = Array.from({ length: count }, () => supervise(args));
    await expect
      .poll(async () => (await c.deadLetters.list()).map(({ runId }) => runId), {
        timeout: 120_000,
        interval: 100,
      })
      .toEqual([guilty?.runId]);
    const results = await Promise.all(sent.slice(1).map((run) => run.result()));
    expect(results.map(({ status, text }) => [status, text])).toEqual(
      INNOCENT.map((text) => ["completed", text]),
    );
    expect(await c.deadLetters.list()).toMatchObject([{ sessionId: "session-poison", attempts: 3 }]);
    expect(supervisors.reduce((sum, ends) => sum + ends(), 0)).toBe(3);

    const lines = readFileSync(ledger, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    const companies = companiesOfPoison(lines);
    // The first attempts took other messages with them, and the last one did not.
    expect(companies).toHaveLength(3);
    expect(companies[0]).not.toEqual([]);
    expect(companies[2]).toEqual([]);
    const begun = INNOCENT.map(
      (text) => lines.filter((line) => line.text === text && line.what === "begin").length,
    );
    expect(Math.max(...begun)).toBeGreaterThan(1);
    expect(Math.max(...begun)).toBeLessThanOrEqual(3);
    const { events } = await c.store.read("session-poison", { types: ["run_created"] });
    expect(events.map(({ data }) => (data as { metadata?: object }).metadata)).toMatchObject([
      {},
      { attempt: 2, crashes: 1 },
      { attempt: 3, crashes: 2, isolated: true },
    ]);
  },
);

/** The messages that ran in the process of each attempt of the poison when it ended. */
function companiesOfPoison(lines: readonly Line[]): readonly (readonly string[])[] {
  return lines
    .filter(({ text }) => text === "poison")
    .map(({ pid }) => {
      const open = new Set<string>();
      for (const line of lines.filter((one) => one.pid === pid && one.text !== "poison")) {
        if (line.what === "begin") open.add(line.text);
        else open.delete(line.text);
      }
      return [...open];
    });
}

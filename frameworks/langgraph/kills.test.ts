/** A real process with a graph is killed at random moments, and started again until the graph is done. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { ContinuoSaver } from "../../packages/langgraph/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

/** 200 kills are the proof (`CONTINUO_KILLS=200`); the default of 20 is a quick check for every commit. */
const KILLS = Number(process.env.CONTINUO_KILLS ?? 20);
const ROUNDS = 12;
/** The maximum time for which the program works before it is killed: about a third of the time that it needs. */
const LONGEST_MS = 250;

const folder = mkdtempSync(join(tmpdir(), "continuo-langgraph-kills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the words of a graph that ended, and `undefined` if the program was killed before. */
async function work(url: string, thread: string, killAfterMs?: number): Promise<string[] | undefined> {
  const program = join(import.meta.dirname, "counting-graph.ts");
  const child = spawn(process.execPath, [program, url, thread, String(ROUNDS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  let words: string[] | undefined;
  for await (const line of lines) {
    if (line !== "working") words = JSON.parse(line);
    else if (killAfterMs !== undefined) void pause(killAfterMs).then(() => child.kill("SIGKILL"));
  }
  await ended;
  return words;
}

test(`a graph that is killed at ${KILLS} random moments continues, with nothing lost or doubled`, {
  timeout: 30 * 60_000,
}, async () => {
  const url = `sqlite:${join(folder, "kills.db")}`;
  const expected = Array.from({ length: ROUNDS }, (_, at) => [`left ${at + 1}`, `right ${at + 1}`]).flat();
  let kills = 0;
  let threads = 0;
  while (kills < KILLS) {
    const thread = `thread ${++threads}`;
    let words: string[] | undefined;
    while (words === undefined) {
      const isLast = kills >= KILLS;
      words = await work(url, thread, isLast ? undefined : Math.random() * LONGEST_MS);
      if (words === undefined) kills++;
    }
    expect(words).toEqual(expected);
  }
  await using store = await openStore(url);
  const saver = new ContinuoSaver(store);
  for (let at = 1; at <= threads; at++) {
    const tuples = await Array.fromAsync(saver.list({ configurable: { thread_id: `thread ${at}` } }));
    const steps = tuples.map(({ metadata }) => metadata?.step);
    // The thread has one checkpoint for the input, one for its start, and three for each round, each exactly once.
    expect(steps).toEqual(Array.from({ length: ROUNDS * 3 + 2 }, (_, step) => ROUNDS * 3 - step));
  }
});

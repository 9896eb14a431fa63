/** One process runs a session while another one wakes it all the time: no live run is treated as an abandoned one. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "@continuo/store";
import { runOnce, startSession } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const WAKER = await bundledProgram("test/sessions/processes/waker.ts");
const RUNS = 20;

test("runs of one process complete while another process wakes their session in a loop", async () => {
  const folder = scratchFolder("wake");
  const url = `sqlite:${join(folder, "store.db")}`;
  await using store = await openStore(url);
  const { sessionId } = await startSession(store);
  const waker = spawn(process.execPath, [WAKER, url, sessionId], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(waker, "close");
  const offered: string[][] = [];
  createInterface({ input: waker.stdout }).on("line", (line) => offered.push(JSON.parse(line)));
  try {
    for (let at = 0; at < RUNS; at++) {
      const before = offered.length;
      // It wakes the session at least once between two runs, and as often as it can during a run.
      await expect.poll(() => offered.length).toBeGreaterThan(before);
      const { status } = await runOnce(store, new EchoAgent(), `go ${at}`, { sessionId });
      expect(status).toBe("completed");
    }
  } finally {
    waker.stdin.end();
    await ended;
  }
  expect(offered.flat()).toEqual([]);
  const { items } = await store.listRuns({ sessionId });
  expect(items.map(({ status }) => status)).toEqual(Array.from({ length: RUNS }, () => "completed"));
});

import { spawn } from "node:child_process";
import { holdersOf, noteHolder, removeHolder } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { lockNative, type NativeWriteOptions } from "./one-writer.ts";

let writing: NativeWriteOptions;
beforeEach(() => {
  const places = { home: scratchFolder("writer"), env: {} };
  writing = { agent: "claude", sessionId: "0b1f6f1e-7a55-4c1c-9c39-1d9f4d7a0b11", places };
});

const since = "2026-01-01T00:00:00.000Z";

test("a session that an agent has open is refused until the agent closes it", async () => {
  // This process did not start the one that started it.
  noteHolder(writing, { pid: process.ppid, program: "claude", since });
  await expect(lockNative(writing)).rejects.toMatchObject({
    code: "session_live",
    message: expect.stringContaining(`open in claude (process ${process.ppid})`),
    details: { pid: process.ppid },
  });
  removeHolder(writing, process.ppid);
  const lock = await lockNative(writing);
  expect(holdersOf(writing)).toMatchObject([{ pid: process.pid, program: "continuo" }]);
  lock.release();
  expect(holdersOf(writing)).toEqual([]);
});

test("an agent that this process started does not count as another writer", async () => {
  const agent = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    noteHolder(writing, { pid: agent.pid ?? 0, program: "claude", since });
    (await lockNative(writing)).release();
  } finally {
    agent.kill("SIGKILL");
  }
});

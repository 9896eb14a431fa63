/** A real process that writes a memory is killed at random moments, and started again until it is done. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ContinuoMemoryStorage } from "../../packages/mastra/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

/** 200 kills are the proof (`CONTINUO_KILLS=200`); the default of 10 is a quick check for every commit. */
const KILLS = Number(process.env.CONTINUO_KILLS ?? 10);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-mastra-kills-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test(`a memory whose writer is killed at ${KILLS} random moments has each message once, questions with answers`, {
  timeout: 30 * 60_000,
}, async () => {
  const url = `sqlite:${join(folder, "memory.db")}`;
  await using store = await openStore(url, { migrate: true });
  const memory = new ContinuoMemoryStorage(store);
  const start = (rounds: number) =>
    spawn(process.execPath, [join(import.meta.dirname, "writer-program.ts"), url, String(rounds)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  for (let kills = 0; kills < KILLS; kills++) {
    const writer = start(1_000_000);
    const ended = once(writer, "exit");
    await once(writer.stdout, "data");
    await pause(60 * Math.random());
    writer.kill("SIGKILL");
    await ended;
    const { total } = await memory.listMessages({ threadId: "orders", perPage: 1 });
    expect(total % 2).toBe(0);
  }
  const { total } = await memory.listMessages({ threadId: "orders", perPage: 1 });
  const rounds = total / 2 + 3;
  expect(await once(start(rounds), "exit")).toEqual([0, null]);
  const { messages } = await memory.listMessages({ threadId: "orders", resourceId: "ann", perPage: false });
  const expected = Array.from({ length: rounds }, (_, round) => [
    `user ${round}`,
    `assistant ${round}`,
  ]).flat();
  expect(messages.map(({ id }) => id)).toEqual(expected);
  expect(await memory.getThreadById({ threadId: "orders" })).toMatchObject({
    title: "Orders",
    metadata: { rounds },
  });
});

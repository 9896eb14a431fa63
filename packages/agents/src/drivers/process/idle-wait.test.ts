import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { waitUntilIdle } from "./idle-wait.ts";

const CLOCK = new Int32Array(new SharedArrayBuffer(4));

test("output that arrived while this process was delayed is read before the agent counts as quiet", async () => {
  const said = join(scratchFolder("quiet"), "said");
  const child = spawn("sh", ["-c", 'read go; echo late; : > "$0"; read end', said]);
  let heard = 0;
  child.stdout.on("data", () => {
    heard += 1;
  });
  const quiet = waitUntilIdle({ quietMs: 50, limitMs: Number.POSITIVE_INFINITY, heard: () => heard });
  child.stdin.write("go\n");
  while (!existsSync(said)) Atomics.wait(CLOCK, 0, 0, 5);
  Atomics.wait(CLOCK, 0, 0, 60);
  await quiet;
  expect(heard).toBe(1);
  child.stdin.end();
  await once(child, "close");
});

test("an agent that is never quiet is awaited up to the limit", async () => {
  let heard = 0;
  await waitUntilIdle({ quietMs: 1, limitMs: 20, heard: () => heard++ });
  expect(heard).toBeGreaterThan(1);
});

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

const BUSY = join(import.meta.dirname, "busy-input.ts");

test("input that arrives while the process is busy beyond the time limit is still used", async () => {
  const child = spawn(process.execPath, [BUSY], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end("late");
  expect(await text(child.stdout)).toBe("review\n\nlate");
});

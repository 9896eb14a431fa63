import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { isLive } from "./live.ts";

let home = "";
beforeEach(() => {
  home = scratchFolder("codex-live");
  mkdirSync(join(home, "thread-writer-locks"));
});

const lockOf = (id: string): string => join(home, "thread-writer-locks", `${id}.lock`);
/** Only Linux reports who holds a lock. */
const no = platform === "linux" ? false : null;

test("a thread is live while another process holds the flock on its lock file", async () => {
  if (platform !== "linux") {
    expect(isLive(home, "held")).toBeNull();
    return;
  }
  const holder = spawn("flock", ["--exclusive", lockOf("held"), "cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => holder.once("close", resolve));
  holder.stdin.write("locked\n");
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  expect(isLive(home, "held")).toBe(true);
  expect(isLive(home, "other")).toBe(false);
  holder.stdin.end();
  await ended;
  expect(isLive(home, "held")).toBe(false);
});

test("a lock file that a crash left does not make a thread live", () => {
  writeFileSync(lockOf("left"), "");
  expect(isLive(home, "left")).toBe(no);
});

test("a home without lock files has no live thread", () => {
  expect(isLive(join(home, "nowhere"), "any")).toBe(no);
});

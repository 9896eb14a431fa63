/**
 * Commands that only read first settle unfinished edits of killed processes, and report edits that they cannot settle.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/pi/text-and-thinking/home");
/** The number of a process that ended. */
const GONE = spawnSync(process.execPath, ["--version"]).pid;
const TEXT = '{"type":"message","id":"0000000f"}\n';

let home: Home;
let file: string;
let whole: string;
beforeEach(() => {
  home = createHome();
  cpSync(FIXTURE, join(home.path, ".pi/agent"), { recursive: true });
  const names = readdirSync(home.path, { recursive: true, encoding: "utf8" });
  file = join(home.path, names.find((name) => name.endsWith(".jsonl")) ?? "");
  whole = readFileSync(file, "utf8");
  mkdirSync(join(home.path, ".continuo/unfinished"), { recursive: true });
});

function leave(note: object): void {
  writeFileSync(join(home.path, `.continuo/unfinished/${GONE}-1.json`), JSON.stringify({ note }));
}

const left = (): string[] => readdirSync(join(home.path, ".continuo/unfinished"));

test.each([
  ["session list"],
  ["session info last"],
  ["session show last"],
  ["session show last --json"],
  ["session check"],
  ["session check last"],
  ["session export last"],
  ["session trash"],
  ["search nothing"],
  ["stats"],
])("`%s` first rolls back an append that was cut off, and then reads", async (command) => {
  writeFileSync(file, `${whole}${TEXT.slice(0, 9)}`);
  leave({ how: "append", path: file, size: Buffer.byteLength(whole), text: TEXT });
  const { stderr } = await runHere(home, command.split(" "));
  expect([readFileSync(file, "utf8") === whole, left(), stderr]).toEqual([true, [], ""]);
});

test.each([
  ["session list", 0],
  ["session info last", 0],
  ["session check", 4],
  ["session check last", 4],
  ["session trash", 0],
])("`%s` reports an edit that it cannot settle, and continues to read", async (command, code) => {
  const naming = { agent: "codex", sessionId: "s", path: join(home.path, "s"), title: "t" };
  const besides = [{ how: "append", path: join(file, "titles"), text: "t\n" }];
  leave({ how: "rename", ...naming, besides });
  const run = await runHere(home, command.split(" "));
  expect([run.code, left().length]).toEqual([code, 1]);
  expect(run.stderr).toMatch(
    /^continuo: a rename of codex:s was cut off, and cannot be settled: .*\nContinuo was stopped while .*\n$/u,
  );
  if (code === 4) expect(run.stdout).toContain("checked 1 session: 1 unfinished edit");
});

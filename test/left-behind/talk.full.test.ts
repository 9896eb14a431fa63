/** `continuo chat` and `continuo repl` die in the middle of a turn: no process of the agent stays alive. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { describe, expect, onTestFailed, test } from "vitest";
import { cleanEnv, MAIN, run } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { openTerminal } from "../cli/tmux.ts";
import { expectGone } from "./gone.ts";
import { guardiansOf, isRunning, parentOf } from "./processes.ts";

const FAULTS = join(import.meta.dirname, "faults.ts");

const COMMANDS = {
  chat: { args: ["chat", "be deaf"], input: "" },
  repl: { args: ["repl"], input: "be deaf\n" },
} as const;

/** The numbers of the agent and of its daemon, which the daemon prints when both ignore every signal that they can. */
function agentIn(said: string): readonly number[] | null {
  const daemon = Number(/(\d+)\s+I wait\./u.exec(said)?.[1]);
  return Number.isNaN(daemon) ? null : [parentOf(daemon), daemon];
}

type Talk = ChildProcessByStdio<Writable, Readable, null>;

async function talkOf(home: TalkHome, command: keyof typeof COMMANDS): Promise<[Talk, readonly number[]]> {
  const { args, input } = COMMANDS[command];
  const child = spawn(process.execPath, ["--import", FAULTS, MAIN, ...args], {
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.write(input);
  let said = "";
  for await (const part of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += part;
    const pids = agentIn(said);
    if (pids !== null) return [child, pids];
  }
  throw new Error(`it ended with ${child.exitCode}, and said: ${said}`);
}

const WAYS = [
  ["is killed", "SIGKILL", null],
  ["loses its terminal", "SIGHUP", 129],
  ["makes a mistake", "SIGUSR2", 1],
  ["exits", "SIGPWR", 9],
] as const;

const CASES = (["chat", "repl"] as const).flatMap((command) =>
  WAYS.map(([how, signal, code]) => ({ command, how, signal, code })),
);

describe("a deaf agent and its daemon are gone when in the middle of a turn", { timeout: 180_000 }, () => {
  test.concurrent.each(CASES)("$command $how", async ({ command, signal, code }) => {
    using home = createTalkHome();
    const [child, pids] = await talkOf(home, command);
    expect(pids.filter(isRunning)).toHaveLength(2);
    const ended = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    expect(await ended).toBe(code);
    await expectGone(pids);
  });

  test("repl is killed, and chat continues the conversation at once", async () => {
    using home = createTalkHome();
    const [child, pids] = await talkOf(home, "repl");
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
    const cwd = join(home.path, "project");
    const { code, stdout, stderr } = await run(home, ["chat", "--continue", "hello"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("You said: ");
    expect(stderr).toMatch(
      /^· the last turn was interrupted; its prompt was: be deaf\n· [\d.]+ s\n· session /u,
    );
    await expectGone(pids);
  });

  test.each(["chat", "repl"] as const)("the terminal of %s is closed", async (command) => {
    using home = createTalkHome();
    const terminal = openTerminal(home, 80, 24);
    onTestFailed(() => terminal.close());
    const { args, input } = COMMANDS[command];
    const words = args.map((arg) => `'${arg}'`).join(" ");
    terminal.type(`cd project; clear; '${process.execPath}' '${MAIN}' ${words}`);
    if (input !== "") {
      await terminal.until((screen) => /❯ *$/u.test(screen.trimEnd()));
      terminal.type(input.trimEnd());
    }
    const pids = agentIn(await terminal.until((screen) => agentIn(screen) !== null)) ?? [];
    expect([pids.filter(isRunning).length, pids.flatMap(guardiansOf).length]).toEqual([2, 1]);
    terminal.close();
    await expectGone(pids);
  });
});

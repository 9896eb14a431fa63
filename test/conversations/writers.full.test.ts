/**
 * Two processes want the same native session: the second one waits for a while, reports which process has it, and then
 * gives up.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { runChat } from "../cli/chat-run.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { openEditor } from "../gateway/editor.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

interface Repl extends AsyncDisposable {
  /** Sends the prompt, and waits for the answer. */
  ask(prompt: string, answer: string): Promise<void>;
}

function replIn(home: TalkHome): Repl {
  const child = spawn(process.execPath, [MAIN, "repl"], {
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise((done) => child.once("close", done));
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return {
    async ask(prompt, answer) {
      child.stdin.write(`${prompt}\n`);
      await expect.poll(() => said).toContain(answer);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

test("an idle repl releases its session to a chat at once, and continues it afterwards", async () => {
  using home = createTalkHome();
  await using repl = replIn(home);
  await repl.ask("one", "You said: one");
  const { code, stderr } = await runChat(home, ["--continue", "two"]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("open elsewhere")]);
  await repl.ask("three", "You said: three");
  expect(home.prompts()).toEqual(["one", "two", "three"]);
});

/** Starts a process that keeps the session of the scripted agent open, and never releases it. */
async function holderIn(home: TalkHome): Promise<ChildProcess> {
  const program = await bundledProgram("test/conversations/lock-holder.ts");
  const child = spawn(process.execPath, [program, home.path, "robot", "new-1"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  return child;
}

test("a chat waits for a session that another process has, says which process, and then refuses the prompt", {
  timeout: 120_000,
}, async () => {
  using home = createTalkHome();
  await runChat(home, ["one"]);
  const holder = await holderIn(home);
  try {
    const startedAt = performance.now();
    const { code, stderr } = await runChat(home, ["--continue", "two"]);
    const tookMs = performance.now() - startedAt;
    expect([code, stderr.match(/waiting at most 1[45] s: .*/gu)]).toEqual([
      5,
      [
        `waiting at most ${stderr.includes("most 15 s") ? 15 : 14} s: Continuo has session new-1 of robot open elsewhere (process ${holder.pid})`,
      ],
    ]);
    expect(stderr).toContain("--fork");
    expect(tookMs).toBeGreaterThan(14_000);
    expect(tookMs).toBeLessThan(28_000);
    expect(home.prompts()).toEqual(["one"]);
  } finally {
    holder.kill("SIGKILL");
  }
  expect((await runChat(home, ["--continue", "three"])).code).toBe(0);
  expect(home.prompts()).toEqual(["one", "three"]);
});

test("a chat that waits for a session gets its answer when the other process has released it", {
  timeout: 120_000,
}, async () => {
  using home = createTalkHome();
  await runChat(home, ["one"]);
  const holder = await holderIn(home);
  const chat = runChat(home, ["--continue", "two"]);
  await sleep(5_000);
  expect(home.prompts()).toEqual(["one"]);
  holder.kill("SIGKILL");
  const { code, stderr } = await chat;
  expect([code, stderr.match(/waiting at most/gu)]).toEqual([0, ["waiting at most"]]);
  expect(home.prompts()).toEqual(["one", "two"]);
});

test("an idle editor releases its session to a chat at once", async () => {
  using home = createTalkHome();
  const cwd = join(home.path, "project");
  await using editor = await openEditor(home);
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "text", text: "one" }] as const;
  await editor.agent.request("session/prompt", { sessionId, prompt: [...prompt] });
  const { code, stderr } = await runChat(home, ["--resume", sessionId, "two"]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("open elsewhere")]);
  expect(home.prompts()).toEqual(["one", "two"]);
});

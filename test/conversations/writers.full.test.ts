/** Two processes that want the same native session: the second one waits for a while, says for whom, and then gives up. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { runChat } from "../cli/chat-run.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { openEditor } from "../gateway/editor.ts";

interface Repl extends AsyncDisposable {
  readonly pid: number | undefined;
  /** Types it, and waits until the agent has said that. */
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
    pid: child.pid,
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

test("while a repl has a session open, chat waits for it, then refuses it, and continues it natively afterwards", {
  timeout: 120_000,
}, async () => {
  using home = createTalkHome();
  {
    await using repl = replIn(home);
    await repl.ask("one", "You said: one");
    const refused = await runChat(home, ["--continue", "two"]);
    expect(refused.code).toBe(5);
    const elsewhere = String.raw`session new-1 of robot open elsewhere \(process ${repl.pid}\)`;
    const waiting = new RegExp(`waiting at most 1[45] s: Continuo has ${elsewhere}`, "gu");
    expect(refused.stderr.match(waiting)).toHaveLength(1);
    expect(refused.stderr).toMatch(new RegExp(elsewhere, "u"));
    expect(refused.stderr).toContain("--fork");
    expect(home.prompts()).toEqual(["one"]);
    await repl.ask("three", "You said: three");
  }
  const after = await runChat(home, ["--continue", "four"]);
  expect(after.code).toBe(0);
  // A refused prompt does not reach the agent.
  expect(home.prompts()).toEqual(["one", "three", "four"]);
});

test("a chat that begins while a repl has the session open is answered when the repl ends", {
  timeout: 120_000,
}, async () => {
  using home = createTalkHome();
  const repl = replIn(home);
  await repl.ask("one", "You said: one");
  const chat = runChat(home, ["--continue", "two"]);
  await sleep(2_000);
  expect(home.prompts()).toEqual(["one"]);
  await repl[Symbol.asyncDispose]();
  const { code, stderr } = await chat;
  expect([code, stderr.includes("waiting at most")]).toEqual([0, true]);
  expect(home.prompts()).toEqual(["one", "two"]);
});

test("an editor that rests leaves its session to a chat at once", async () => {
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

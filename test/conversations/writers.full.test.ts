/** Two processes that have the same native session open: the second one says so, and writes nothing. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runChat } from "../cli/chat-run.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";

interface Repl extends AsyncDisposable {
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

test("while a repl has a session open, chat refuses it, and continues it natively afterwards", async () => {
  using home = createTalkHome();
  {
    await using repl = replIn(home);
    await repl.ask("one", "You said: one");
    const refused = await runChat(home, ["--continue", "two"]);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("session new-1 of robot open elsewhere");
    expect(refused.stderr).toContain("--fork");
    expect(home.prompts()).toEqual(["one"]);
    await repl.ask("three", "You said: three");
  }
  const after = await runChat(home, ["--continue", "four"]);
  expect(after.code).toBe(0);
  // A refused prompt does not reach the agent.
  expect(home.prompts()).toEqual(["one", "three", "four"]);
});

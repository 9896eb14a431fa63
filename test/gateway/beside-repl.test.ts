/** `continuo repl` and an editor in one session at the same time. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { openEditor } from "./editor.ts";
import { told } from "./native-writer.ts";

test("an editor and a repl see each other's turns in one session, and no agent receives a turn twice", async () => {
  using home = createTalkHome();
  const cwd = join(home.path, "project");
  await using editor = await openEditor(home);
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  const say = (text: string) =>
    editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await say("one, in the editor");
  expect(told(editor)).toEqual(["agent_message_chunk: You said: one, in the editor"]);

  const repl = spawn(process.execPath, [MAIN, "repl", "--resume", sessionId], {
    cwd,
    env: cleanEnv(home.path),
  });
  const ended = once(repl, "exit");
  let printed = "";
  repl.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const timeout = 30_000;
  repl.stdin.write("two, in the terminal\n");
  await expect.poll(() => printed, { timeout }).toContain("You said: two, in the terminal");
  const shown: string[] = [];
  await expect.poll(() => shown.push(...told(editor)), { timeout }).toBe(2);
  expect(shown).toEqual([
    "user_message_chunk: two, in the terminal",
    "agent_message_chunk: You said: two, in the terminal",
  ]);

  await say("three, in the editor");
  // The repl prints the turns of others before it reads a line; an empty line sends no prompt.
  const afterLine = (): string => {
    repl.stdin.write("\n");
    return printed;
  };
  await expect.poll(afterLine, { timeout }).toContain("You said: three, in the editor");
  repl.stdin.end("four, in the terminal\n");
  await ended;
  expect(printed.slice(printed.indexOf("two, in the terminal"))).toMatch(
    /❯ three, in the editor\n● You said: three, in the editor\n[\s\S]*You said: four, in the terminal/u,
  );
  expect(printed.match(/You said: three/gu)).toHaveLength(1);
  await expect.poll(() => shown.push(...told(editor)), { timeout }).toBe(5);
  expect(shown.slice(2)).toEqual([
    "agent_message_chunk: You said: three, in the editor",
    "user_message_chunk: four, in the terminal",
    "agent_message_chunk: You said: four, in the terminal",
  ]);
  expect(home.prompts()).toEqual([
    "one, in the editor",
    "two, in the terminal",
    "three, in the editor",
    "four, in the terminal",
  ]);
});

/** The daily use of `continuo repl` in a terminal, with a scripted agent. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { CLAUDE_ID, claudeFile, claudeText, MAIN } from "./home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "./talk.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: TalkHome;
let terminal: Terminal | null = null;
beforeEach(() => {
  home = createTalkHome({
    ...SCRIPT,
    prompts: {
      ...SCRIPT.prompts,
      one: [chunk("The first answer."), DONE],
      two: [chunk("The second answer."), DONE],
    },
  });
});
afterEach(() => {
  terminal?.close();
  terminal = null;
  home[Symbol.dispose]();
});

function isReady(screen: string): boolean {
  return /^❯ *$/u.test(screen.trimEnd().split("\n").at(-1) ?? "");
}

const ended = (words: string) => (screen: string) => screen.includes(words) && isReady(screen);

async function open(columns: number, rows: number, flags = ""): Promise<Terminal> {
  terminal?.close();
  const opened = openTerminal(home, columns, rows);
  terminal = opened;
  opened.type(`cd project; clear; '${process.execPath}' '${MAIN}' repl ${flags}; echo code=$?`);
  await opened.until(isReady);
  return opened;
}

async function say(on: Terminal, words: string, answer: string): Promise<void> {
  on.type(words);
  await on.until(ended(answer));
}

test.each([
  [100, 30],
  [80, 24],
  [50, 20],
])("--continue shows the end of the conversation, at %ix%i", async (columns, rows) => {
  const on = await open(columns, rows);
  await say(on, "one", "The first answer.");
  await say(on, "two", "The second answer.");
  on.send("C-d");
  await on.until((screen) => screen.includes("code=0"));
  const again = await open(columns, rows, "--continue");
  const lines = again.screen().trimEnd().split("\n");
  expect(lines.slice(1)).toEqual([
    "",
    "❯ one",
    "● The first answer.",
    "",
    "❯ two",
    "● The second answer.",
    "",
    "❯",
  ]);
});

test.each([
  [120, 30],
  [80, 24],
  [50, 20],
])("--resume of a cold session prints the price of its next prompt, at %ix%i", async (columns, rows) => {
  const { agents } = JSON.parse(readFileSync(join(home.path, ".continuo/continuo.yaml"), "utf8"));
  const claude = { ...agents.robot, transport: "acp" };
  home.write(".continuo/continuo.yaml", JSON.stringify({ agents: { claude } }));
  const said = claudeText(CLAUDE_ID, [
    { uuid: "u1", parent: null, role: "user", content: "Steep the tea", time: "10:00:00" },
    {
      uuid: "u2",
      parent: "u1",
      role: "assistant",
      content: [{ type: "text", text: "Done." }],
      time: "10:00:01",
    },
  ]);
  const usage = { input_tokens: 1_000, cache_creation_input_tokens: 99_000, output_tokens: 20 };
  const told = said
    .replaceAll("/home/ann/app", join(home.path, "project"))
    .replace("model-a", "claude-opus-5-5")
    .replace('{"input_tokens":1000,"output_tokens":20}', JSON.stringify(usage));
  home.write(claudeFile(CLAUDE_ID), told);
  const on = await open(columns, rows, `--resume ${CLAUDE_ID}`);
  const words = on.screen().replaceAll(/\s+/gu, " ");
  expect(words).toContain("● Done.");
  expect(words).toContain("cold · 100,000 tokens · about $0.50");
  expect(words).toContain("lean: about 30,000 tokens, $0.15");
});

test("Ctrl-R finds an earlier line, Enter sends it, and Ctrl-G restores the typed text", async () => {
  const on = await open(80, 24);
  await say(on, "one", "The first answer.");
  await say(on, "two", "The second answer.");
  on.send("C-r");
  on.write("ON");
  await on.until((screen) => screen.trimEnd().endsWith('search "ON": one'));
  on.send("Enter");
  await on.until((screen) => screen.split("The first answer.").length === 3 && isReady(screen));
  on.write("draft");
  on.send("C-r");
  on.write("tw");
  await on.until((screen) => screen.trimEnd().endsWith('search "tw": two'));
  on.send("C-g");
  await on.until((screen) => screen.trimEnd().endsWith("❯ draft"));
  expect(home.prompts()).toEqual(["one", "two", "one"]);
});

test("!COMMAND runs in the folder of the session, and the next prompt has its output", async () => {
  const on = await open(80, 24);
  on.type("!basename $PWD; exit 3");
  await on.until(ended("exit code 3"));
  expect(on.screen()).toContain("\n  project\n");
  await say(on, "one", "You said: one");
  expect(home.prompts().at(-1)).toContain(
    "I ran `basename $PWD; exit 3` (exit code 3). Its output:\nproject\n",
  );
  on.type("!echo begun; sleep 60");
  await on.until((screen) => screen.includes("\n  begun\n"));
  on.send("C-c");
  await on.until(ended("ended by SIGTERM"));
});

test("Ctrl-C ends a !COMMAND that writes without an end, and one that ignores signals", async () => {
  const on = await open(80, 24);
  on.type("!yes | tr -d '\\n' & yes");
  await on.until((screen) => screen.includes("\n  y\n"));
  on.send("C-c");
  await on.until(ended("ended by SIGTERM"));
  on.type("!trap '' TERM; echo deaf; setsid sleep 60; :");
  await on.until((screen) => screen.includes("\n  deaf\n"));
  on.send("C-c");
  await on.until(ended("ended by SIGKILL"));
  on.type("!trap '' TERM; setsid sleep 60 & echo left");
  await on.until((screen) => screen.includes("\n  left\n"));
  on.send("C-c");
  await on.until(ended("exit code 0 after SIGKILL"));
});

test("/undo continues a copy without the last turn, which the agent no longer knows", async () => {
  const on = await open(80, 24);
  await say(on, "one", "The first answer.");
  await say(on, "two", "The second answer.");
  on.type("/undo");
  await on.until(ended("took back: two"));
  await say(on, "three", "message:three");
  const last = home.prompts().at(-1) ?? "";
  expect(last).toContain("The first answer.");
  expect(last).not.toContain("The second answer.");
});

test.each([100, 80, 50])(
  "/help names files, commands, the queue and the keys, and breaks no word, %i columns wide",
  async (columns) => {
    const on = await open(columns, 80);
    on.type("/help");
    const screen = await on.until(ended("suspend until"));
    for (const words of ["@PATH", "!COMMAND", "queue", "Ctrl-R", "/undo"]) expect(screen).toContain(words);
    const words = new Set(screen.split(/\s+/u));
    for (const word of ["unrestricted,", "completes", "attach", "suspend"]) expect(words).toContain(word);
  },
);

/** An agent's own program continues a session after, or during, a turn of an editor in the same session. */

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TALK_LIMITS } from "@continuo/agents/conversations";
import { findNativeSessions } from "@continuo/native";
import { beforeEach, expect, test } from "vitest";
import { GATEWAY_LIMITS } from "../../src/gateway/limits.ts";
import { chunk, DONE, hello1, type Script, type ScriptStep } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor } from "./editor.ts";
import { addAnswer, addTurn, begin, told, turnOf } from "./native-writer.ts";

/** The agent is Gemini CLI: its files are real, and a scripted program replaces its own program. */
const AGENT = "gemini";
/** The turn begins, and continues when the test has written the agent's records of it. */
const BEGIN: readonly ScriptStep[] = [{ touch: "begun" }, { untilFile: "on" }];
const SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: { "session/resume": [{ result: {} }], "session/load": [{ result: {} }] },
  prompts: {
    "answer 500": [...BEGIN, { error: { code: -32_603, message: "the model says 500" } }],
    "answer 429": [...BEGIN, { error: { code: -32_603, message: "the model says 429: wait an hour" } }],
    "cut the stream": [
      chunk("I say "),
      ...BEGIN,
      { error: { code: -32_603, message: "the stream was cut" } },
    ],
    die: [chunk("I say "), ...BEGIN, { die: 3 }],
    "be cancelled": [chunk("I say "), ...BEGIN, { result: { stopReason: "cancelled" } }],
    ask: [{ touch: "asked" }, { untilFile: "answered" }, chunk("All."), DONE],
    "ask again": [{ touch: "asked again" }, { untilFile: "answered again" }, chunk("All."), DONE],
    succeed: [chunk("I say "), ...BEGIN, chunk("all."), DONE],
  },
};

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome(SCRIPT);
  const agent = { command: process.execPath, args: [SCRIPTED_AGENT, join(home.path, "script.json")] };
  home.write(".continuo/continuo.yaml", JSON.stringify({ agents: { [AGENT]: agent, robot: agent } }));
});

/**
 * Sets the session back, because Gemini CLI waits if it resumes a session in the minute that the name of its file
 * contains.
 */
async function beginEarlier(): Promise<void> {
  await begin(home, AGENT);
  const places = { home: home.path, env: cleanEnv(home.path) };
  const [found] = await Array.fromAsync(findNativeSessions({ places, agents: [AGENT] }));
  const path = found?.location ?? "";
  renameSync(path, path.replace(/session-\d{4}-\d\d-\d\dT/u, "session-2026-01-01T"));
}

async function load(editor: Editor): Promise<string> {
  const [{ sessionId = "" } = {}] = (await editor.agent.request("session/list", {})).sessions;
  const cwd = join(home.path, "project");
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  editor.take();
  return sessionId;
}

/** The lines of `session/load` from the first prompt of a turn of the agent's own program. */
async function history(editor: Editor, sessionId: string): Promise<readonly string[]> {
  editor.take();
  const cwd = join(home.path, "project");
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  const lines = told(editor).map((line) => line.replace("Bash__", ""));
  const first = lines.findIndex((line) => line.includes("Run the tests"));
  expect(lines.slice(0, Math.max(0, first))).not.toContain(expect.stringContaining("Run the tests"));
  return lines.slice(first);
}

/** Sends a prompt. Resolves even if the turn fails. */
async function prompt(editor: Editor, sessionId: string, text: string): Promise<void> {
  const asked = { sessionId, prompt: [{ type: "text" as const, text }] };
  await editor.agent.request("session/prompt", asked).catch(() => undefined);
}

/**
 * Waits for this number of lines. The lines leave out the name that Continuo puts before the ids of Gemini CLI's calls.
 */
async function shownLines(editor: Editor, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  await expect.poll(() => lines.push(...told(editor)), { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  return lines.map((line) => line.replace("Bash__", ""));
}

const begun = (file = "begun"): Promise<void> =>
  expect.poll(() => existsSync(join(home.path, file)), { timeout: 60_000 }).toBe(true);

test.each(Object.keys(SCRIPT.prompts ?? {}).filter((words) => !words.startsWith("ask")))(
  "after the turn \"%s\" of an editor, a turn of the agent's own program is shown once, and the editor's turn is not repeated",
  async (words) => {
    await beginEarlier();
    await using editor = await openEditor(home);
    const sessionId = await load(editor);
    const running = prompt(editor, sessionId, words);
    await begun();
    await addAnswer(home, AGENT, { prompt: words, answer: "I say all." });
    if (words === "be cancelled") await editor.agent.notify("session/cancel", { sessionId });
    home.write("on", "");
    await running;
    told(editor);
    await addTurn(home, AGENT, "one");
    expect(await shownLines(editor, 5)).toEqual(turnOf("one"));
    await sleep(3 * GATEWAY_LIMITS.nativeMs);
    expect(told(editor)).toEqual([]);
    // Every editor also finds the turn in the history, once, before and after it is stored.
    for (const waitMs of [0, TALK_LIMITS.nativeQuietMs, 0]) {
      await sleep(waitMs);
      await using other = await openEditor(home);
      expect(await history(other, sessionId)).toEqual([...turnOf("one")]);
    }
  },
);

test("after a turn of the agent's own program, an editor's next turn continues in the native session that has it", async () => {
  await beginEarlier();
  await using editor = await openEditor(home);
  const sessionId = await load(editor);
  const say = async (text: string): Promise<void> => {
    const running = editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    await begun(text.replace("ask", "asked"));
    await addAnswer(home, AGENT, { prompt: text, answer: "All." });
    home.write(text.replace("ask", "answered"), "");
    await running;
  };
  await say("ask");
  const starts = home.sent("session/resume").length;
  await addTurn(home, AGENT, "one");
  await say("ask again");
  // The program starts again, because it does not know the turn. It receives only the prompt, because its session has
  // the turn.
  expect(home.sent("session/resume")).toHaveLength(starts + 1);
  expect(home.prompts()).toEqual(["ask", "ask again"]);
  await sleep(3 * GATEWAY_LIMITS.nativeMs);
  await using other = await openEditor(home);
  const lines = await history(other, sessionId);
  expect(lines).toEqual([...turnOf("one"), "user_message_chunk: ask again", "agent_message_chunk: All."]);
  // Another agent receives this turn like every other turn.
  await editor.agent.request("session/set_config_option", { sessionId, configId: "agent", value: "robot" });
  await editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "ask" }] });
  expect(home.prompts().at(-1)).toContain("Run the tests one");
});

test("a turn of the agent's own program during a turn of an editor is shown after that turn", async () => {
  await beginEarlier();
  await using editor = await openEditor(home);
  const sessionId = await load(editor);
  const running = prompt(editor, sessionId, "succeed");
  await begun();
  await addTurn(home, AGENT, "one");
  await sleep(3 * GATEWAY_LIMITS.nativeMs);
  await addAnswer(home, AGENT, { prompt: "succeed", answer: "I say all." });
  home.write("on", "");
  await running;
  const shown: string[] = [];
  await expect
    .poll(() => shown.push(...told(editor)) && shown.at(-1), { timeout: 60_000 })
    .toBe(turnOf("one").at(-1));
  // On a slow machine, the driver notices the other program and stops the turn before its last words.
  const own = shown
    .filter((line) => line !== "agent_message_chunk: all.")
    .map((line) => line.replace("Bash__", ""));
  expect(own).toEqual(["agent_message_chunk: I say ", ...turnOf("one")]);
  await sleep(3 * GATEWAY_LIMITS.nativeMs);
  expect(told(editor)).toEqual([]);
});

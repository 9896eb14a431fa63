/** Native sessions that an editor has loaded, while another process writes to them. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findNativeSessions } from "@continuo/native";
import { openSessionAdapter } from "@continuo/native/editing";
import { beforeEach, expect, test } from "vitest";
import { makeConversation } from "../../bench/sessions/conversation.ts";
import { createRandom } from "../../bench/sessions/random.ts";
import { openOpencode } from "../../bench/sessions/shapes/index.ts";
import { GATEWAY_LIMITS } from "../../src/gateway/limits.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor } from "./editor.ts";

const FORMATS = {
  claude: "ccsdk",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  pi: "pi-agent",
} as const;
type AgentName = keyof typeof FORMATS;
const AGENTS = Object.keys(FORMATS) as readonly AgentName[];

let home: TalkHome;
let cwd: string;
beforeEach(() => {
  home = createTalkHome();
  cwd = join(home.path, "project");
});

/** Begins a session with a question and an answer. */
async function begin(agent: AgentName): Promise<void> {
  if (agent === "opencode") {
    const random = createRandom(20261129);
    const opencode = openOpencode(home.path);
    opencode.write({ ...makeConversation(random, 20_000, 1), cwd }, random);
    opencode.close();
    return;
  }
  const places = { home: home.path, env: cleanEnv(home.path) };
  const adapter = openSessionAdapter({ format: FORMATS[agent], create: { cwd }, places });
  await adapter.appendUserMessage("Fix the build");
  await adapter.appendAssistantMessage("It is fixed.");
}

/** Another process adds a question, and an answer with a call and its result. */
async function addTurn(agent: AgentName, name: string): Promise<void> {
  const places = { home: home.path, env: cleanEnv(home.path) };
  const [found] = await Array.fromAsync(findNativeSessions({ places, agents: [agent] }));
  const options = {
    format: FORMATS[agent],
    sessionFile: found?.files[0]?.path,
    sessionId: found?.sessionId,
    places,
  };
  const program = `
    import { openSessionAdapter } from "@continuo/native/editing";
    const adapter = openSessionAdapter(${JSON.stringify(options)});
    await adapter.appendUserMessage("Run the tests ${name}");
    const call = { type: "tool_call", id: "call-${name}", name: "Bash", args: { command: "make test" } };
    await adapter.appendAssistantMessage([{ type: "text", text: "I run them." }, call]);
    await adapter.appendToolResult("call-${name}", "all green");
    await adapter.appendAssistantMessage("They pass.");
  `;
  const root = join(import.meta.dirname, "../..");
  const args = ["--input-type=module", "-e", program];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

/** The kinds and texts of updates, joined where they belong to one message. */
function told(editor: Editor): readonly string[] {
  return editor.take().flatMap((update) => {
    if ("content" in update && update.sessionUpdate.endsWith("message_chunk")) {
      const { content } = update as { content: { type: string; text?: string } };
      return [`${update.sessionUpdate}: ${content.text}`];
    }
    if (update.sessionUpdate === "tool_call") return [`call ${update.toolCallId}`];
    if (update.sessionUpdate === "tool_call_update") return [`${update.status} ${update.toolCallId}`];
    return [];
  });
}

async function load(editor: Editor): Promise<string> {
  const [{ sessionId = "" } = {}] = (await editor.agent.request("session/list", {})).sessions;
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  return sessionId;
}

const turnOf = (name: string): readonly string[] => [
  `user_message_chunk: Run the tests ${name}`,
  "agent_message_chunk: I run them.",
  `call call-${name}`,
  `completed call-${name}`,
  "agent_message_chunk: They pass.",
];

test.each(AGENTS)(
  "turns that another process writes into a loaded session of %s are shown once",
  async (agent) => {
    await begin(agent);
    await using editor = await openEditor(home);
    await load(editor);
    expect(told(editor).length).toBeGreaterThan(1);
    const shown: string[] = [];
    for (const [at, name] of ["one", "two"].entries()) {
      await addTurn(agent, name);
      await expect.poll(() => shown.push(...told(editor)), { timeout: 20_000 }).toBe(5 * (at + 1));
    }
    // Continuo puts the name of the tool in front of the ids that it writes for Gemini CLI.
    expect(shown.map((line) => line.replace("Bash__", ""))).toEqual([...turnOf("one"), ...turnOf("two")]);
  },
);

test("a turn of the editor itself in a loaded session is shown once", async () => {
  await begin("claude");
  await using editor = await openEditor(home);
  const sessionId = await load(editor);
  editor.take();
  // With its first turn here, the session becomes Continuo's, and its log is followed instead of its files.
  await editor.agent.request("session/set_config_option", { sessionId, configId: "agent", value: "robot" });
  const prompt = [{ type: "text" as const, text: "hello" }];
  await editor.agent.request("session/prompt", { sessionId, prompt });
  expect(told(editor).length).toBeGreaterThan(0);
  await addTurn("claude", "two");
  await sleep(3 * GATEWAY_LIMITS.nativeMs);
  expect(told(editor)).toEqual([]);
});

/** A program of Claude Code that ends before it answers. */
const BROKEN = {
  agents: { claude: { command: process.execPath, args: ["-e", "process.exit(3)"] } },
};

test("turns that the agent's program writes after a prompt that failed are shown once, and so is the next load", async () => {
  await begin("claude");
  home.write(".continuo/continuo.yaml", JSON.stringify(BROKEN));
  await using editor = await openEditor(home);
  const sessionId = await load(editor);
  editor.take();
  const prompt = [{ type: "text" as const, text: "hello" }];
  for (const [at, name] of ["one", "two"].entries()) {
    await expect(editor.agent.request("session/prompt", { sessionId, prompt })).rejects.toThrow();
    await addTurn("claude", name);
    const shown: string[] = [];
    await expect.poll(() => shown.push(...told(editor)), { timeout: 20_000 }).toBe(5);
    expect(shown, `turn ${at}`).toEqual(turnOf(name));
  }
  await load(editor);
  expect(told(editor).slice(-10)).toEqual([...turnOf("one"), ...turnOf("two")]);
});

test.each(AGENTS)(
  "turns that another process writes into a resumed session of %s are shown once, without those before",
  async (agent) => {
    await begin(agent);
    await using editor = await openEditor(home);
    const [{ sessionId = "" } = {}] = (await editor.agent.request("session/list", {})).sessions;
    await editor.agent.request("session/resume", { sessionId, cwd, mcpServers: [] });
    await addTurn(agent, "one");
    const shown: string[] = [];
    await expect.poll(() => shown.push(...told(editor)), { timeout: 20_000 }).toBe(5);
    expect(shown.map((line) => line.replace("Bash__", ""))).toEqual(turnOf("one"));
  },
);

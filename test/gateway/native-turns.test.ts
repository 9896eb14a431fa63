/** Native sessions that an editor has loaded, while another process writes to them. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { GATEWAY_LIMITS } from "../../src/gateway/limits.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor } from "./editor.ts";
import { AGENTS, addTurnElsewhere, begin, told, turnOf } from "./native-writer.ts";

let home: TalkHome;
let cwd: string;
beforeEach(() => {
  home = createTalkHome();
  cwd = join(home.path, "project");
});

async function load(editor: Editor): Promise<string> {
  const [{ sessionId = "" } = {}] = (await editor.agent.request("session/list", {})).sessions;
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  return sessionId;
}

test.each(AGENTS)(
  "turns that another process writes into a loaded session of %s are shown once",
  async (agent) => {
    await begin(home, agent);
    await using editor = await openEditor(home);
    await load(editor);
    expect(told(editor).length).toBeGreaterThan(1);
    const shown: string[] = [];
    for (const [at, name] of ["one", "two"].entries()) {
      await addTurnElsewhere(home, agent, name);
      await expect.poll(() => shown.push(...told(editor)), { timeout: 20_000 }).toBe(5 * (at + 1));
    }
    // Continuo puts the name of the tool in front of the ids that it writes for Gemini CLI.
    expect(shown.map((line) => line.replace("Bash__", ""))).toEqual([...turnOf("one"), ...turnOf("two")]);
  },
);

test("a turn of the editor itself in a loaded session is shown once", async () => {
  await begin(home, "claude");
  await using editor = await openEditor(home);
  const sessionId = await load(editor);
  editor.take();
  // With its first turn here, the session becomes Continuo's, and its log is followed instead of its files.
  await editor.agent.request("session/set_config_option", { sessionId, configId: "agent", value: "robot" });
  const prompt = [{ type: "text" as const, text: "hello" }];
  await editor.agent.request("session/prompt", { sessionId, prompt });
  expect(told(editor).length).toBeGreaterThan(0);
  await addTurnElsewhere(home, "claude", "two");
  await sleep(3 * GATEWAY_LIMITS.nativeMs);
  expect(told(editor)).toEqual([]);
});

/** A program of Claude Code that ends before it answers. */
const BROKEN = {
  agents: { claude: { command: process.execPath, args: ["-e", "process.exit(3)"] } },
};

test("turns that the agent's program writes after a prompt that failed are shown once, and so is the next load", async () => {
  await begin(home, "claude");
  home.write(".continuo/continuo.yaml", JSON.stringify(BROKEN));
  await using editor = await openEditor(home);
  const sessionId = await load(editor);
  editor.take();
  const prompt = [{ type: "text" as const, text: "hello" }];
  for (const [at, name] of ["one", "two"].entries()) {
    await expect(editor.agent.request("session/prompt", { sessionId, prompt })).rejects.toThrow();
    await addTurnElsewhere(home, "claude", name);
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
    await begin(home, agent);
    await using editor = await openEditor(home);
    const [{ sessionId = "" } = {}] = (await editor.agent.request("session/list", {})).sessions;
    await editor.agent.request("session/resume", { sessionId, cwd, mcpServers: [] });
    await addTurnElsewhere(home, agent, "one");
    const shown: string[] = [];
    await expect.poll(() => shown.push(...told(editor)), { timeout: 20_000 }).toBe(5);
    expect(shown.map((line) => line.replace("Bash__", ""))).toEqual(turnOf("one"));
  },
);

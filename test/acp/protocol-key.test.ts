/** `agents.NAME.protocol`: the version of ACP that Continuo asks an agent of the configuration for. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { openEditor, spokenIn } from "../gateway/editor.ts";
import { chunk, DONE, type Script } from "./script.ts";

/** An agent that speaks only version 2. */
const SCRIPT_2: Script = {
  states: true,
  hello: {
    protocolVersion: 2,
    info: { name: "scripted-agent", version: "1.0.0" },
    capabilities: { session: { prompt: {}, mcp: { stdio: {} } } },
  },
  prompts: { "*": [chunk("I speak version 2."), DONE] },
};

/** `robot` has the key, `other` does not. */
function createHome2(): TalkHome {
  const home = createTalkHome(SCRIPT_2);
  const file = ".continuo/continuo.yaml";
  const { agents } = JSON.parse(readFileSync(join(home.path, file), "utf8"));
  const robot = { ...agents.robot, protocol: 2 };
  home.write(file, JSON.stringify({ agent: "robot", agents: { ...agents, robot } }));
  return home;
}

const asked = (home: TalkHome): readonly unknown[] =>
  home.sent("initialize").map(({ protocolVersion }) => protocolVersion);

test("`chat -a NAME` asks an agent of version 2 for version 2, and an agent without the key for version 1", async () => {
  using home = createHome2();
  const chat = (name: string) =>
    runHere(home, ["chat", "-a", name, "hello"], { cwd: join(home.path, "project"), stdin: "" });
  expect(await chat("robot")).toMatchObject({ code: 0, stdout: "I speak version 2.\n" });
  expect(asked(home)).toEqual([2]);
  await chat("other");
  expect(asked(home)).toEqual([2, 1]);
});

test("`continuo acp` asks an agent of version 2 for version 2", async () => {
  using home = createHome2();
  await using editor = await openEditor(home);
  const cwd = join(home.path, "project");
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "text", text: "hello" } as const];
  expect(await editor.agent.request("session/prompt", { sessionId, prompt })).toEqual({
    stopReason: "end_turn",
  });
  expect(spokenIn(editor.take())).toBe("I speak version 2.");
  expect(asked(home)).toEqual([2]);
});

test("`agents` shows what an agent of version 2 reported in version 2, after a chat and after `agents doctor`", async () => {
  for (const command of [
    ["chat", "-a", "robot", "hello"],
    ["agents", "doctor", "robot"],
  ]) {
    using home = createHome2();
    const cwd = join(home.path, "project");
    await runHere(home, command, { cwd, stdin: "" });
    const { stdout } = await runHere(home, ["agents", "--json"], { cwd });
    const [robot, other] = ["robot", "other"].map((name) =>
      (JSON.parse(stdout) as { agent: string }[]).find(({ agent }) => agent === name),
    );
    expect([command[0], robot]).toMatchObject([
      command[0],
      { version: "1.0.0", versionFrom: "agent", capabilities: { canResume: true, canFork: false } },
    ]);
    expect(other).toMatchObject({ capabilities: null });
  }
});

/** The command line hands a session over while an editor has it open: the session keeps its id, and answers. */

import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, CONVERSATION, claudeFile, claudeText } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";
import { ECHO_SCRIPT } from "./shared-sessions.ts";

const OLD = `claude:${CLAUDE_ID}`;

let home: TalkHome;
let cwd: string;
beforeEach(() => {
  home = createTalkHome(ECHO_SCRIPT);
  cwd = join(home.path, "project");
  const text = claudeText(CLAUDE_ID, CONVERSATION).replaceAll("/home/ann/app", cwd);
  home.write(claudeFile(CLAUDE_ID), text);
});

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(home, args, { cwd });
  expect([args, code, stderr]).toEqual([args, 0, stderr]);
  return stdout;
}

/** Loads the session, and returns the words of the person. */
async function saidIn({ agent, take }: Editor, sessionId: string): Promise<readonly string[]> {
  take();
  await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  return take().flatMap((one) =>
    one.sessionUpdate === "user_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
  );
}

async function answerIn({ agent, take }: Editor, sessionId: string, text: string): Promise<string> {
  take();
  const prompt = [{ type: "text" as const, text }];
  expect(await agent.request("session/prompt", { sessionId, prompt })).toEqual({ stopReason: "end_turn" });
  return spokenIn(take());
}

const idsIn = async ({ agent }: Editor): Promise<readonly string[]> =>
  (await agent.request("session/list", {})).sessions.map(({ sessionId }) => sessionId).toSorted();

test("a session that `chat` continued with another agent is one row under its old id, and the new agent answers there", async () => {
  await using before = await openEditor(home);
  expect(await saidIn(before, OLD)).toEqual(["Fix the build", "Try again"]);
  await command("chat", "--resume", OLD, "--agent", "robot", "from terminal.");
  // The turn appears in the editor that has the session open, and in one that opens it later.
  await expect
    .poll(() => spokenIn(before.updates.map(({ update }) => update)), { timeout: 20_000 })
    .toContain("You said: from terminal.");
  await using editor = await openEditor(home);
  expect(await idsIn(editor)).toEqual([OLD]);
  expect(await saidIn(editor, OLD)).toEqual(["Fix the build", "Try again", "from terminal."]);
  const { configOptions } = await editor.agent.request("session/resume", { sessionId: OLD, cwd });
  expect(configOptions).toMatchObject([{ id: "agent", currentValue: "robot" }, {}]);
  expect(await answerIn(editor, OLD, "from editor...")).toBe("You said: from editor...");
  expect(await idsIn(editor)).toEqual([OLD]);
});

test("a session that `handoff` wrote for another agent has an id of its own, and its source answers under the old one", async () => {
  await using before = await openEditor(home);
  await before.agent.request("session/resume", { sessionId: OLD, cwd });
  const made = JSON.parse(
    await command("handoff", OLD, "--to", "pi", "--cwd", cwd, "--no-verify", "--json"),
  ) as { readonly sessionId: string };
  const { sessionId } = made;
  await using later = await openEditor(home);
  for (const editor of [before, later]) {
    expect(await idsIn(editor)).toEqual([OLD, `pi:${sessionId}`].toSorted());
    expect(await saidIn(editor, OLD)).toEqual(["Fix the build", "Try again"]);
    expect(await saidIn(editor, `pi:${sessionId}`)).toEqual(["Fix the build", "Try again"]);
  }
  const choice = { sessionId: OLD, configId: "agent", value: "robot" };
  await before.agent.request("session/set_config_option", choice);
  expect(await answerIn(before, OLD, "go on")).toContain("go on");
  expect(await idsIn(later)).toEqual([OLD, `pi:${sessionId}`].toSorted());
});

test("a session of Continuo's that `handoff` wrote for another agent still answers under its id", async () => {
  await using editor = await openEditor(home);
  const { sessionId: id } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  expect(await answerIn(editor, id, "one")).toBe("You said: one");
  await command("handoff", id, "--to", "pi", "--cwd", cwd, "--no-verify", "--json");
  expect(await answerIn(editor, id, "two")).toBe("You said: two");
  await using later = await openEditor(home);
  expect(await saidIn(later, id)).toEqual(["one", "two"]);
  expect(await answerIn(later, id, "three")).toBe("You said: three");
});

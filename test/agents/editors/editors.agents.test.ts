/**
 * An editor uses `continuo acp` with the real agents: a conversation begins with one agent, continues with another one in a
 * second process of the gateway, and is one row of the list with one id.
 */

import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import { text } from "../../model-servers/index.ts";
import { stage } from "../chat/stage.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";

const FIRST = "Remember the number forty-one.";
const SECOND = "Which number was it?";
const SCRIPT = {
  turns: [
    { user: SECOND, answers: [[text("It was forty-one.")]] },
    { user: FIRST, answers: [[text("I keep forty-one in mind.")]] },
  ],
};

const PAIRS: readonly (readonly [AgentName, AgentName])[] = [
  ["claude", "codex"],
  ["codex", "pi"],
  ["pi", "claude"],
];

test.each(PAIRS)("a conversation of %s continues in %s under the same id", async (first, second) => {
  await using on = await stage([first, second], SCRIPT);
  const cwd = on.sandbox.project;
  const say = (editor: Editor, sessionId: string, words: string) =>
    editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
  let id = "";
  {
    await using editor = await openEditor(on);
    ({ sessionId: id } = await editor.agent.request("session/new", { cwd, mcpServers: [] }));
    expect(await say(editor, id, FIRST)).toEqual({ stopReason: "end_turn" });
    expect(spokenIn(editor.updates)).toBe("I keep forty-one in mind.");
  }
  await using editor = await openEditor(on);
  await editor.agent.request("session/load", { sessionId: id, cwd, mcpServers: [] });
  expect(spokenIn(editor.updates)).toBe("I keep forty-one in mind.");
  await editor.agent.request("session/set_config_option", {
    sessionId: id,
    configId: "agent",
    value: second,
  });
  editor.updates.length = 0;
  expect(await say(editor, id, SECOND)).toEqual({ stopReason: "end_turn" });
  expect(spokenIn(editor.updates)).toMatch(
    new RegExp(
      `^It was forty-one\\.[\\s\\S]*\\[Continuo: ${second} received this conversation from its beginning \\(${second}:[^)]+\\): it was written into the agent's own files and read back, and the agent confirmed that session\\.`,
      "u",
    ),
  );
  // The editor also learns with the session's id how it was checked.
  const native = {
    agent: second,
    sessionId: expect.any(String),
    happened: "created",
    verifiedBy: "agent and disk",
  };
  expect(editor.updates).toContainEqual({
    sessionUpdate: "session_info_update",
    _meta: { continuo: { native } },
  });
  // The second agent's model receives the first agent's answer as its own.
  const received = on.newest();
  expect(received).toContainEqual(["assistant", "I keep forty-one in mind."]);
  expect(received.some(([role, words]) => role === "user" && words.includes(FIRST))).toBe(true);
  const { sessions } = await editor.agent.request("session/list", { cwd });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([id]);
});

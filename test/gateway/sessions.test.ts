/** Sessions of an editor: a part of a session is copied, its agent is changed, and all waiting turns are stopped. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openOwn, updateTexts } from "@continuo/agents/catalog";
import { beforeEach, expect, test } from "vitest";
import { writeSession } from "../../bench/memory/sessions.ts";
import { removeUnused } from "../../src/gateway/unused-sessions.ts";
import { chunk, DONE } from "../acp/script.ts";
import { CLAUDE_ID, CONVERSATION, claudeFile, claudeText, cleanEnv } from "../cli/home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";

let home: TalkHome;
let cwd: string;
beforeEach(() => {
  home = createTalkHome();
  cwd = join(home.path, "project");
});

async function newSession({ agent }: Editor): Promise<string> {
  return (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

function say(editor: Editor, sessionId: string, text: string) {
  return editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** Loads the session and returns the words of the person. */
async function saidIn(editor: Editor, sessionId: string): Promise<readonly string[]> {
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  return editor
    .take()
    .flatMap((one) =>
      one.sessionUpdate === "user_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
    );
}

/** Loads the session and returns the parts of its messages, each with the id of its message. */
async function replayed(editor: Editor, sessionId: string) {
  editor.take();
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  return editor.take().flatMap((one) => {
    if (one.sessionUpdate !== "user_message_chunk" && one.sessionUpdate !== "agent_message_chunk") return [];
    const { sessionUpdate: kind, messageId: id, content } = one;
    return [{ kind, id, text: content.type === "text" ? content.text : "" }];
  });
}

test("a fork goes up to the message that the editor names, and one without a name has all of it", async () => {
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  await using editor = await openEditor(home);
  const from = { sessionId: `claude:${CLAUDE_ID}`, cwd, mcpServers: [] };
  await editor.agent.request("session/load", from);
  const [first] = editor.take();
  const at = first !== undefined && "messageId" in first ? first.messageId : null;
  const part = await editor.agent.request("session/fork", { ...from, _meta: { continuo: { at } } });
  const whole = await editor.agent.request("session/fork", { ...from, _meta: null });
  expect(await saidIn(editor, part.sessionId)).toEqual(["Fix the build"]);
  expect(await saidIn(editor, whole.sessionId)).toEqual(["Fix the build", "Try again"]);
});

test("a fork of a session of Continuo ends at the prompt or the answer that a replay named, and takes another prompt", async () => {
  await using editor = await openEditor(home);
  const from = { sessionId: await newSession(editor), cwd, mcpServers: [] };
  await say(editor, from.sessionId, "hello");
  await say(editor, from.sessionId, "all of it");
  const whole = await replayed(editor, from.sessionId);
  const ids = [...new Set(whole.map(({ id }) => id))];
  expect(ids).toHaveLength(4);
  // The scripted agent gives each session the same id, and only one session at a time can be open under it.
  await editor.agent.request("session/close", { sessionId: from.sessionId });
  for (const [position, at] of ids.entries()) {
    const { sessionId } = await editor.agent.request("session/fork", {
      ...from,
      _meta: { continuo: { at } },
    });
    const kept = whole.filter(({ id }) => ids.indexOf(id) <= position);
    expect(await replayed(editor, sessionId)).toEqual(kept);
    await say(editor, sessionId, "again");
    const continued = await replayed(editor, sessionId);
    expect(continued.slice(0, -2)).toEqual(kept);
    expect(continued.slice(-2)).toMatchObject([{ text: "again" }, { kind: "agent_message_chunk" }]);
    await editor.agent.request("session/close", { sessionId });
  }
  expect(await replayed(editor, from.sessionId)).toEqual(whole);
});

test("the list names the source of a fork by the id of its row, also for sessions that continue in Continuo", async () => {
  home.write("app/readme", "");
  home.write(
    claudeFile(CLAUDE_ID),
    claudeText(CLAUDE_ID, CONVERSATION).replaceAll("/home/ann/app", join(home.path, "app")),
  );
  await using editor = await openEditor(home);
  const own = await newSession(editor);
  await say(editor, own, "hello");
  const imported = `claude:${CLAUDE_ID}`;
  await editor.agent.request("session/resume", { sessionId: imported, cwd });
  // Both scripted agents give each session the same id, and only one session at a time can be open under it.
  const choice = { sessionId: imported, configId: "agent", value: "other" };
  await editor.agent.request("session/set_config_option", choice);
  await say(editor, imported, "hello");
  const sources = new Map<string, unknown>([
    [own, undefined],
    [imported, undefined],
  ]);
  for (const source of [own, imported]) {
    const { sessionId } = await editor.agent.request("session/fork", {
      sessionId: source,
      cwd,
      mcpServers: [],
    });
    sources.set(sessionId, source);
  }
  const { sessions } = await editor.agent.request("session/list", {});
  const listed = sessions.map(({ sessionId, _meta }) => {
    const { forkedFrom } = (_meta?.continuo ?? {}) as { readonly forkedFrom?: string };
    return [sessionId, forkedFrom] as const;
  });
  expect(new Map(listed)).toEqual(sources);
});

test("a long session that the index lacks is loaded, asks for the index, and is loaded from it the next time", async () => {
  const { sessionId } = writeSession({
    agent: "claude",
    home: home.path,
    cwd,
    sizeBytes: 2_100_000,
    shape: "turns",
  });
  const load = async () => {
    await using editor = await openEditor(home);
    await editor.agent.request("session/load", { sessionId: `claude:${sessionId}`, cwd, mcpServers: [] });
    return { updates: editor.take(), unindexed: editor.unindexed() };
  };
  const first = await load();
  expect(first.unindexed).toBe(1);
  expect(first.updates.length).toBeGreaterThan(100);
  const places = { home: home.path, env: cleanEnv(home.path) };
  // Files that were written just now have no reliable stamp.
  await updateTexts({ places, nowMs: Date.now() + 60_000 });
  expect(await load()).toEqual({ ...first, unindexed: 0 });
});

test("a change of the agent has one receipt, and the session stays with its new agent", async () => {
  const id = "4bf3c2a1-0000-4000-8000-00000000000a";
  home.write("app/readme", "");
  home.write(
    claudeFile(id),
    claudeText(id, CONVERSATION).replaceAll("/home/ann/app", join(home.path, "app")),
  );
  const sessionId = `claude:${id}`;
  {
    await using editor = await openEditor(home);
    await editor.agent.request("session/resume", { sessionId, cwd });
    const choice = { sessionId, configId: "agent", value: "robot" };
    await editor.agent.request("session/set_config_option", choice);
    await say(editor, sessionId, "hello");
    expect(spokenIn(editor.take())).toMatch(/\[Continuo: robot /u);
    await say(editor, sessionId, "again");
    expect(spokenIn(editor.take())).not.toMatch(/\[Continuo: robot /u);
  }
  await using editor = await openEditor(home);
  const { configOptions } = await editor.agent.request("session/resume", { sessionId, cwd });
  expect(configOptions).toMatchObject([{ id: "agent", currentValue: "robot" }, {}]);
});

test("an editor that knows only modes sets the permissions by them, and gets the options with the new value", async () => {
  await using editor = await openEditor(home);
  const sessionId = await newSession(editor);
  editor.take();
  await editor.agent.request("session/set_mode", { sessionId, modeId: "safe" });
  const [options] = editor.take().filter((one) => one.sessionUpdate === "config_option_update");
  expect(options?.configOptions).toMatchObject([
    { id: "agent" },
    { id: "permissions", currentValue: "safe" },
  ]);
  await expect(
    editor.agent.request("session/set_mode", { sessionId, modeId: "everything" }),
  ).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining("Choose one of ask, safe") });
  const { modes } = await editor.agent.request("session/resume", { sessionId, cwd });
  expect(modes?.currentModeId).toBe("safe");
});

test("a new session whose agent is chosen before its first turn gets no receipt, also when its agent starts again", async () => {
  await using editor = await openEditor(home);
  const sessionId = await newSession(editor);
  await editor.agent.request("session/set_config_option", { sessionId, configId: "agent", value: "other" });
  await say(editor, sessionId, "hello");
  await using second = await openEditor(home);
  await second.agent.request("session/resume", { sessionId, cwd });
  // The agent's program of the first editor ends, so that the second editor can use the session.
  await say(second, sessionId, "from the second");
  await expect.poll(() => spokenIn(editor.updates.map(({ update }) => update))).toContain("from the second");
  await say(editor, sessionId, "again");
  expect(spokenIn(editor.take())).toContain("again");
  expect(spokenIn(editor.updates.map(({ update }) => update))).not.toContain("[Continuo:");
});

test("an editor that cancels stops the turn that runs and the one that waits", async () => {
  await using editor = await openEditor(home);
  const id = await newSession(editor);
  const running = say(editor, id, "slow");
  await expect
    .poll(() => editor.updates.some(({ update }) => update.sessionUpdate === "tool_call"))
    .toBe(true);
  const waiting = say(editor, id, "hello");
  // Requests are handled in their order.
  await editor.agent.request("session/list", {});
  await editor.agent.notify("session/cancel", { sessionId: id });
  expect(await running).toEqual({ stopReason: "cancelled" });
  expect(await waiting).toEqual({ stopReason: "cancelled" });
});

test("two sessions of one connection have turns at the same time, and each gets its own updates and its own answer", async () => {
  const prompts = {
    one: [chunk("One begins, "), { untilFile: "go" }, chunk("one ends."), DONE],
    two: [
      chunk("Two begins, "),
      { untilFile: "go" },
      chunk("two ends."),
      { result: { stopReason: "max_steps" } },
    ],
  };
  // The two programs of the agent must give their sessions different ids.
  const answers = { ...SCRIPT.answers, "session/new": [{ result: { sessionId: "$UUID" } }] };
  home = createTalkHome({ ...SCRIPT, answers, prompts });
  cwd = join(home.path, "project");
  await using editor = await openEditor(home);
  const [one, two] = [await newSession(editor), await newSession(editor)];
  const spoken = () =>
    [one, two].map((id) =>
      spokenIn(editor.updates.flatMap(({ sessionId, update }) => (sessionId === id ? [update] : []))),
    );
  const ended = Promise.all([say(editor, one, "one"), say(editor, two, "two")]);
  await expect.poll(spoken, { timeout: 20_000 }).toEqual(["One begins, ", "Two begins, "]);
  home.write("go", "");
  expect(await ended).toEqual([{ stopReason: "end_turn" }, { stopReason: "max_turn_requests" }]);
  expect(spoken()).toEqual(["One begins, one ends.", "Two begins, two ends."]);
  expect(new Set(editor.updates.map(({ sessionId }) => sessionId))).toEqual(new Set([one, two]));
});

test("an editor hears how much of the context is used, and how much there is", async () => {
  const used = { update: { sessionUpdate: "usage_update", used: 5, size: 9 } };
  home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, hello: [used, chunk("Hi."), DONE] } });
  cwd = join(home.path, "project");
  await using editor = await openEditor(home);
  await say(editor, await newSession(editor), "hello");
  expect(editor.take()).toContainEqual({ sessionUpdate: "usage_update", used: 5, size: 9 });
});

test("an empty session that a person made stays when those of editors are removed", async () => {
  const places = { home: home.path, cwd, env: cleanEnv(home.path) };
  {
    await using editor = await openEditor(home);
    await newSession(editor);
  }
  await using own = await openOwn(places);
  await own?.store.createSession({ sessionId: "mine", title: "My plan" });
  await removeUnused(places, Date.now() + 8 * 24 * 60 * 60 * 1000);
  const left = (await own?.store.listSessions({}))?.items.map(({ sessionId }) => sessionId);
  expect(left).toEqual(["mine"]);
});

test("a choice of an agent whose program does not start is refused with the reason, and the agent before it answers", async () => {
  const file = ".continuo/continuo.yaml";
  const configuration = JSON.parse(readFileSync(join(home.path, file), "utf8"));
  const broken = { command: process.execPath, args: ["-e", "process.exit(3)"] };
  home.write(file, JSON.stringify({ ...configuration, agents: { ...configuration.agents, broken } }));
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  await using editor = await openEditor(home);
  const begun = await newSession(editor);
  await say(editor, begun, "hello");
  for (const sessionId of [begun, await newSession(editor), `claude:${CLAUDE_ID}`]) {
    const before = await editor.agent.request("session/resume", { sessionId, cwd });
    const choice = { sessionId, configId: "agent", value: "broken" };
    const answer = editor.agent.request("session/set_config_option", choice);
    await expect(answer).rejects.toThrow(/broken/u);
    const after = await editor.agent.request("session/resume", { sessionId, cwd });
    expect(after.configOptions).toEqual(before.configOptions);
  }
  editor.take();
  expect(await say(editor, begun, "again")).toEqual({ stopReason: "end_turn" });
  expect(spokenIn(editor.take())).not.toContain("[Continuo:");
});

test("an agent that needs long to start delays only its first turn, and the choice of an agent", async () => {
  const initialize = [{ untilFile: "ready" }, { result: SCRIPT.hello ?? {} }];
  home = createTalkHome({ ...SCRIPT, answers: { ...SCRIPT.answers, initialize } });
  cwd = join(home.path, "project");
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  await using editor = await openEditor(home);
  const { agent } = editor;
  const sessionId = await newSession(editor);
  const { sessions } = await agent.request("session/list", {});
  expect(sessions.map((row) => row.sessionId)).toEqual([`claude:${CLAUDE_ID}`]);
  await agent.request("session/load", { sessionId: `claude:${CLAUDE_ID}`, cwd, mcpServers: [] });
  await agent.request("session/resume", { sessionId, cwd });
  const other = await newSession(editor);
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  const choice = { sessionId: other, configId: "agent", value: "other" };
  const chosen = agent.request("session/set_config_option", choice).finally(over);
  const turn = say(editor, sessionId, "hello").finally(over);
  await expect.poll(() => home.methods()).toContain("initialize");
  expect(isOver).toBe(false);
  home.write("ready", "");
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(await chosen).toMatchObject({ configOptions: expect.any(Array) });
});

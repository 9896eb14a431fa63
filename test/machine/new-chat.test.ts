/** New conversations over HTTP: their folder and their agent, and the folders and files that a page may name. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ChatMode, FolderFiles, NewChatAgents, PromptAnswer } from "@continuo/core/wire/machine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { EDITS, idle, readChat } from "./open-chat.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

let home: TalkHome;
let machine: OpenMachine;
beforeEach(async () => {
  home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  machine = await openMachine(home);
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
});

const CHATS = "/v1/machine/chats";
const project = (): string => join(home.path, "project");

async function begin(body: object): Promise<Response> {
  return await machine.post(CHATS, { cwd: project(), agent: "robot", text: "fix it", ...body });
}

test("a new conversation becomes one session in its folder, with the prompt and the answer of the agent", async () => {
  mkdirSync(project(), { recursive: true });
  const answer = await begin({ text: "edit it", mode: "safe" satisfies ChatMode });
  expect(answer.status).toBe(202);
  const { key } = (await answer.json()) as PromptAnswer;
  await using chat = await readChat(machine, key);
  await chat.until(idle);
  // No person was asked, because the mode `safe` denies each edit without a question.
  expect(chat.events.some((event) => event.type === "state" && event.state.questions.length > 0)).toBe(false);
  const { messages } = await machine.json(`/v1/machine/sessions/${encodeURIComponent(key)}/history`);
  expect(JSON.stringify(messages)).toContain("I change it.");
  const { session } = await machine.json(`/v1/machine/sessions/${encodeURIComponent(key)}`);
  expect(session).toMatchObject({ title: "edit it", cwd: project(), agent: "continuo" });
  const { sessions } = await machine.json("/v1/machine/sessions");
  expect(sessions.filter((row: { key: string }) => row.key === key)).toHaveLength(1);
});

test("two new conversations at once are two sessions", async () => {
  mkdirSync(project(), { recursive: true });
  const answers = await Promise.all([begin({ text: "one" }), begin({ text: "two" })]);
  const keys = await Promise.all(answers.map(async (one) => ((await one.json()) as PromptAnswer).key));
  expect(new Set(keys).size).toBe(2);
});

test("a page gets the names of the agents that can work in a folder; a missing folder and a relative path are refused", async () => {
  mkdirSync(project(), { recursive: true });
  const asked = (cwd: string) => machine.get(`${CHATS}/agents?${new URLSearchParams({ cwd })}`);
  const there = (await (await asked(project())).json()) as NewChatAgents;
  expect(there).toMatchObject({ cwd: project(), agents: expect.arrayContaining(["robot", "other"]) });
  expect(((await (await asked("~/project")).json()) as NewChatAgents).cwd).toBe(project());
  expect((await asked(join(home.path, "gone"))).status).toBe(404);
  expect((await asked("project")).status).toBe(400);
  expect((await begin({ cwd: join(home.path, "gone") })).status).toBe(404);
  expect((await asked(`${project()}\0`)).status).toBe(404);
  expect((await begin({ cwd: `${project()}\0` })).status).toBe(404);
  expect((await begin({ mode: "unrestricted" })).status).toBe(400);
});

test("only a token that may start an agent gets the names of files, and only in a trusted folder", async () => {
  home.write("project/src/brew.ts", "");
  const asked = (query: Record<string, string>, token?: string) =>
    machine.get(`${CHATS}/files?${new URLSearchParams(query)}`, token);
  const found = (await (await asked({ cwd: project(), words: "brew" })).json()) as FolderFiles;
  expect(found.files).toEqual(["src/brew.ts"]);
  const { key } = (await (await begin({ text: "hello" })).json()) as PromptAnswer;
  const ofSession = (await (await asked({ key, words: "brew" })).json()) as FolderFiles;
  expect(ofSession.files).toEqual(["src/brew.ts"]);
  const reader = await machine.token(["machine:read"]);
  expect((await asked({ cwd: project(), words: "" }, reader)).status).toBe(403);
  expect((await machine.post(CHATS, { cwd: project(), agent: "robot", text: "x" }, reader)).status).toBe(403);
  home.write("strange/continuo.yaml", "agents:\n  mine:\n    command: ./mine\n    transport: acp\n");
  const strange = join(home.path, "strange");
  const refused = await asked({ cwd: strange, words: "" });
  expect([refused.status, await refused.text()]).toEqual([
    expect.any(Number),
    expect.stringContaining("untrusted"),
  ]);
  expect((await begin({ cwd: strange })).ok).toBe(false);
});

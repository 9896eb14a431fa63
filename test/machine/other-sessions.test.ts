/** Sub-agents, which are named below the session that started them, and Continuo's own sessions. */

import { join } from "node:path";
import type {
  ForkAnswer,
  HistoryWindow,
  Outline,
  SessionHead,
  SessionsPage,
  TrashAnswer,
} from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

const ID = "4bf3eeee-0000-4000-8000-00000000000d";
const KEY = `/v1/machine/sessions/claude:${ID}`;

let machine: OpenMachine;
let storeUrl: string;
let ownId: string;
beforeAll(async () => {
  machine = await openMachine();
  writeSubagent();
  storeUrl = `sqlite:${join(machine.home.path, ".continuo/continuo.db")}`;
  ownId = await makeOwn(storeUrl);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const json = async <T>(path: string): Promise<T> => await machine.json(path);
const shared = {
  sessionId: ID,
  cwd: "/home/ann/app",
  version: "2.1.0",
  timestamp: "2026-01-01T10:00:00.000Z",
};

function lines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify({ ...shared, ...record })}\n`).join("");
}

function writeSubagent(): void {
  const call = {
    type: "tool_use",
    id: "t1",
    name: "Task",
    input: { description: "Look", prompt: "Look at it" },
  };
  const result = { type: "tool_result", tool_use_id: "t1", content: "Looked." };
  const parent = lines([
    { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Have it looked at" } },
    { type: "assistant", uuid: "a1", parentUuid: "u1", message: { role: "assistant", content: [call] } },
    { type: "user", uuid: "r1", parentUuid: "a1", message: { role: "user", content: [result] } },
  ]);
  const side = { isSidechain: true, agentId: "ab1" };
  const answer = { role: "assistant", content: [{ type: "text", text: "It is fine." }] };
  const child = lines([
    { ...side, type: "user", uuid: "s1", parentUuid: null, message: { role: "user", content: "Look at it" } },
    { ...side, type: "assistant", uuid: "s2", parentUuid: "s1", message: answer },
  ]);
  const folder = claudeFile(ID).replace(/\.jsonl$/u, "/subagents");
  machine.home.write(claudeFile(ID), parent);
  machine.home.write(join(folder, "agent-ab1.jsonl"), child);
  machine.home.write(
    join(folder, "agent-ab1.meta.json"),
    JSON.stringify({ agentType: "explore", description: "Look", toolUseId: "t1" }),
  );
}

test("a sub-agent is a session below the one that started it, which can be read and not changed", async () => {
  const { subagents } = await json<SessionHead>(KEY);
  expect(subagents).toMatchObject([{ id: "ab1", type: "explore", description: "Look", toolCallId: "t1" }]);
  const path = `/v1/machine/sessions/${encodeURIComponent(subagents[0]?.key ?? "")}`;
  const head = await json<SessionHead>(path);
  expect(head).toMatchObject({
    session: { sessionId: "ab1", title: "Look", turns: 1 },
    parentKey: `claude:${ID}`,
    readOnly: expect.stringMatching(/./u),
  });
  const { messages } = await json<HistoryWindow>(`${path}/history`);
  expect(messages.map(({ message }) => message.id)).toEqual(["s1", "s2"]);
  const renamed = await machine.post(`${path}/rename`, { title: "Another" });
  expect(await renamed.json()).toMatchObject({ error: { code: "unsupported" } });
  const none = await machine.get(`${KEY}${encodeURIComponent(">nobody")}`);
  expect(none.status).toBe(404);
});

test("a session of Continuo's own is listed, read, renamed, deleted to the trash, read there, and restored", async () => {
  const path = `/v1/machine/sessions/continuo:${ownId}`;
  const { sessions } = await json<SessionsPage>("/v1/machine/sessions?agent=continuo");
  expect(sessions).toMatchObject([{ key: `continuo:${ownId}`, agent: "continuo", title: "My own" }]);
  expect(await json<SessionHead>(path)).toMatchObject({ messages: { total: 2 }, session: { turns: 1 } });
  const { messages } = await json<HistoryWindow>(`${path}/history`);
  expect(messages.map(({ message }) => message.content)).toMatchObject([
    [{ type: "text", text: "Is it mine?" }],
    [{ type: "text", text: "It is." }],
  ]);
  expect((await json<Outline>(`${path}/outline`)).turns).toMatchObject([{ number: 1, title: "Is it mine?" }]);
  const renamed = await machine.post(`${path}/rename`, { title: "Yours" });
  expect(await renamed.json()).toMatchObject({ title: "Yours" });
  const deleted = await machine.post(`${path}/delete`);
  const { trashId } = (await deleted.json()) as TrashAnswer;
  expect((await machine.get(path)).status).toBe(404);
  const trash = await json<SessionsPage>("/v1/machine/sessions?deleted=only");
  expect(trash.sessions).toMatchObject([
    { key: `trash:${trashId}`, agent: "continuo", title: "Yours", trashId },
  ]);
  const there = await json<HistoryWindow>(
    `/v1/machine/sessions/${encodeURIComponent(`trash:${trashId}`)}/history`,
  );
  expect(there.messages).toHaveLength(2);
  const restored = await machine.post(`/v1/machine/trash/${trashId}/restore`);
  expect(await restored.json()).toMatchObject({ key: `continuo:${ownId}`, trashId: null });
  expect(await json<SessionHead>(path)).toMatchObject({ messages: { total: 2 } });
  await machine.post(`${path}/delete`);
  expect(await (await machine.post("/v1/machine/trash/empty")).json()).toEqual({ sessions: 1, stayed: 0 });
  expect((await json<SessionsPage>("/v1/machine/sessions?deleted=only")).sessions).toEqual([]);
});

test("the command of a fork of an own session continues the fork", async () => {
  const source = await makeOwn(storeUrl);
  const forked = await machine.post(`/v1/machine/sessions/continuo:${source}/fork`);
  const { sessionId, resume } = (await forked.json()) as ForkAnswer;
  expect(sessionId).not.toBe(source);
  expect(resume).toMatchObject({
    cwd: machine.home.path,
    argv: ["continuo", "repl", "--resume", sessionId],
  });
});

async function makeOwn(url: string): Promise<string> {
  await using store = await openStore(url);
  const { sessionId } = await store.createSession({
    agent: "claude",
    title: "My own",
    cwd: machine.home.path,
  });
  await store.append(sessionId, [
    { type: "message_sent", data: { content: "Is it mine?" } },
    { type: "message_received", data: { content: "It is." } },
  ]);
  return sessionId;
}

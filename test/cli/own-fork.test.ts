/** `session fork` of Continuo's own sessions: the log of the original up to a message, with its runs and usage. */

import { join } from "node:path";
import type { Agent, Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import { SessionManager, TranscriptBuilder } from "../../src/index.ts";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
let id: string;

const agent: Agent = {
  name: "counter",
  async execute({ input: _ }, { onEvent }) {
    await onEvent({ type: "tool_call", toolCallId: "c", toolName: "Look", toolInput: {} });
    await onEvent({
      type: "tool_result",
      toolCallId: "c",
      status: "ok",
      content: [{ type: "text", text: "seen" }],
    });
    await onEvent({ type: "message", content: [{ type: "text", text: "Done." }] });
    return { stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 2 } };
  },
};

async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  return await work(store);
}

beforeEach(async () => {
  home = createHome();
  id = await inStore(async (store) => {
    const { sessionId } = await SessionManager.startSession(store, { title: "Ours", cwd: home.path });
    for (const input of ["one", "two"]) await SessionManager.runOnce(store, agent, input, { sessionId });
    return sessionId;
  });
});

const fork = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { stdout, stderr, code } = await runHere(home, [
    "session",
    "fork",
    `continuo:${id}`,
    "--json",
    ...args,
  ]);
  expect([stderr, code]).toEqual(["", 0]);
  return JSON.parse(stdout);
};

test("a fork has the messages and the usage of the original, and is its child; the original stays as it is", async () => {
  const before = await inStore(async (store) => await TranscriptBuilder.fromStore(store, id));
  const made = await fork();
  expect(made).toMatchObject({
    agent: "continuo",
    title: "Ours",
    cwd: home.path,
    messages: 8,
    forkedFrom: id,
  });
  expect(made.resumeCommand).toEqual(["continuo", "repl", "--resume", made.sessionId]);
  await inStore(async (store) => {
    const forked = await TranscriptBuilder.fromStore(store, String(made.sessionId));
    expect(forked.messages).toEqual(before.messages);
    expect(forked.metadata.usage).toEqual(before.metadata.usage);
    expect((await store.getSession(String(made.sessionId)))?.parentId).toBe(id);
    expect((await TranscriptBuilder.fromStore(store, id)).messages).toEqual(before.messages);
  });
});

test("--at forks the beginning, and refuses to separate a call from its result", async () => {
  const { messages } = await inStore(async (store) => await TranscriptBuilder.fromStore(store, id));
  const end = messages.findIndex(({ role, content }) => role === "assistant" && content[0]?.type === "text");
  const made = await fork("--at", messages[end]?.id ?? "");
  expect(made.messages).toBe(end + 1);
  const forked = await inStore(
    async (store) => await TranscriptBuilder.fromStore(store, String(made.sessionId)),
  );
  expect(forked.messages.map(({ id }) => id)).toEqual(messages.slice(0, end + 1).map(({ id }) => id));
  const call = messages.find(({ content }) => content.some(({ type }) => type === "tool_call"));
  const parted = await runHere(home, ["session", "fork", id, "--at", call?.id ?? ""]);
  expect([parted.code, parted.stderr.includes("a call and its result stay together")]).toEqual([2, true]);
  expect((await runHere(home, ["session", "fork", id, "--at", "nobody"])).code).toBe(3);
  const count = await inStore(async (store) => (await store.listSessions()).items.length);
  expect(count).toBe(2);
});

test("the repair of a session of Continuo is refused, with what to do instead", async () => {
  const { code, stderr } = await runHere(home, ["session", "repair", id]);
  expect(code).toBe(1);
  expect(stderr).toContain(`continuo session check ${id}`);
});

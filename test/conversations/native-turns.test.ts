/** Turns that an agent's own program adds to the native session in which a session of Continuo's continues. */

import { join } from "node:path";
import { takeNativeTurns } from "@continuo/agents/conversations";
import { type Message, type Store, textOf } from "@continuo/core/model";
import { fromStore } from "@continuo/core/transcript/builder";
import { findNativeSessions, openNativeSession } from "@continuo/native";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import { importNative } from "../../packages/agents/src/conversations/native-import.ts";
import { type OwnRun, turnsOfProgram } from "../../packages/agents/src/conversations/native-owners.ts";
import { cleanEnv, createHome, type Home } from "../cli/home.ts";
import { AGENTS, addTurn, begin, openAsAgent, type WriterName } from "../gateway/native-writer.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.write("project/readme", "");
});

const places = () => ({ home: home.path, cwd: home.path, env: cleanEnv(home.path), now: new Date() });

async function foundIn(agent: WriterName) {
  const [found] = await Array.fromAsync(findNativeSessions({ places: places(), agents: [agent] }));
  if (found === undefined) throw new Error(`${agent} has no session`);
  return found;
}

async function messagesOf(agent: WriterName): Promise<readonly Message[]> {
  using opened = await openNativeSession(await foundIn(agent), { places: places() });
  return await Array.fromAsync(opened.history());
}

async function importIn(store: Store, agent: WriterName): Promise<string> {
  const { session } = await importNative(await foundIn(agent), { store, places: places(), cwd: home.path });
  return (await store.updateSession(session.sessionId, { agent })).sessionId;
}

const linesOf = (messages: readonly Message[]): readonly string[] =>
  messages
    .filter(({ origin }) => origin !== "injected" && origin !== "notification")
    .map(({ role, content }) => `${role}: ${textOf(content)} ${content.map(({ type }) => type).join()}`);

test.each(AGENTS)(
  "turns of the own program of %s are stored once, in order, by any number of processes",
  async (agent) => {
    await begin(home, agent);
    await using store = await openStore(`sqlite:${join(home.path, "own.db")}`);
    const sessionId = await importIn(store, agent);
    const taking = { store, sessionId, places: places(), isPatient: true };
    expect(await takeNativeTurns(taking)).toMatchObject({ added: 0, pending: [] });
    await addTurn(home, agent, "one");
    await addTurn(home, agent, "two");
    const all = await Promise.all([
      takeNativeTurns(taking),
      takeNativeTurns(taking),
      takeNativeTurns(taking),
    ]);
    expect(all.map(({ pending }) => pending)).toEqual([[], [], []]);
    expect(all.reduce((sum, { added }) => sum + added, 0)).toBe(8);
    expect(linesOf((await fromStore(store, sessionId)).messages)).toEqual(linesOf(await messagesOf(agent)));
    expect(await takeNativeTurns(taking)).toMatchObject({ added: 0, newest: all[0]?.newest, pending: [] });
  },
);

test.each(AGENTS)("a turn that the own program of %s still writes is not stored", async (agent) => {
  await begin(home, agent);
  await using store = await openStore("memory:");
  const sessionId = await importIn(store, agent);
  await using adapter = await openAsAgent(home, agent);
  await adapter.appendUserMessage("Run the tests");
  const call = { type: "tool_call", id: "call", name: "Bash", args: {} } as const;
  await adapter.appendAssistantMessage([{ type: "text", text: "I run them." }, call]);
  const taking = { store, sessionId, places: places(), isPatient: true };
  const taken = await takeNativeTurns(taking);
  expect(taken.added).toBe(0);
  expect(taken.pending.map(({ content }) => textOf(content))).toEqual(["Run the tests", "I run them."]);
  await adapter.appendToolResult("call", "all green");
  expect((await takeNativeTurns(taking)).added).toBe(0);
  await adapter.appendAssistantMessage("They pass.");
  expect(await takeNativeTurns(taking)).toMatchObject({ added: 4, pending: [] });
  expect(linesOf((await fromStore(store, sessionId)).messages)).toEqual(linesOf(await messagesOf(agent)));
});

test.each(AGENTS)(
  "an answer of Continuo that is mixed with a turn of the own program of %s is not taken for a part of it",
  async (agent) => {
    await begin(home, agent);
    const known = (await messagesOf(agent)).map(({ id }) => id);
    const fromMs = Date.now();
    await using adapter = await openAsAgent(home, agent);
    await adapter.appendUserMessage("Ask from the editor");
    await adapter.appendUserMessage("Ask in the terminal");
    const call = { type: "tool_call", id: "own-call", name: "Bash", args: {} } as const;
    await adapter.appendAssistantMessage([{ type: "text", text: "I look." }, call]);
    await adapter.appendToolResult("own-call", "all green");
    await adapter.appendAssistantMessage("The answer to the editor.");
    await adapter.appendAssistantMessage("The answer to the terminal.");
    const messages = await messagesOf(agent);
    const calls = messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
    );
    const run: OwnRun = {
      texts: ["Ask from the editor"],
      fromMs,
      toMs: Date.now(),
      isHere: true,
      answers: new Set(["The answer to the editor."]),
    };
    const own = { runs: [run], ids: new Set(known), taken: new Set<string>(), calls: new Set(calls) };
    const turns = turnsOfProgram(messages, own).map((turn) => turn.map(({ content }) => textOf(content)));
    expect(turns).toEqual([["Ask in the terminal", "The answer to the terminal."]]);
  },
);

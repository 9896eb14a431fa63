import { openStore } from "@continuo/store";
import { ScriptedAgent, type ScriptedAgentOptions } from "@continuo/store/testing";
import { expect, test } from "vitest";
import type { AgentSettings } from "../config/index.ts";
import { findTurn } from "./earlier-turn.ts";
import { runTurn, type TurnOptions } from "./run.ts";

const settings: AgentSettings = {
  name: "scripted",
  environment: null,
  command: null,
  args: [],
  env: {},
  model: null,
  transport: null,
  session: { resumeId: "auto", continueLast: "auto", onMissing: "error", alwaysContinue: null },
  permissions: { policy: "ask", timeoutMs: 1_000 },
  budget: {},
  context: {},
};

type Fixed = Pick<TurnOptions, "store" | "session">;

function turn(fixed: Fixed, script: ScriptedAgentOptions, more: Partial<TurnOptions> = {}) {
  return runTurn({
    ...fixed,
    agent: new ScriptedAgent(script),
    input: "why?",
    onEvent: async () => undefined,
    signal: new AbortController().signal,
    note: () => undefined,
    flags: {},
    settings,
    continuation: "auto",
    before: "nothing",
    ...more,
  });
}

test("a session belongs to the agent that answered last", async () => {
  await using store = await openStore("memory:");
  const session = await store.createSession({ agent: "other" });
  const { session: after, isKept } = await turn({ store, session }, {}, { before: "here" });
  expect([after.agent, isKept]).toEqual(["scripted", true]);
  expect((await store.getSession(session.sessionId))?.agent).toBe("scripted");
});

test("a first turn that fails before the agent did anything leaves no session, and a later one leaves it", async () => {
  await using store = await openStore("memory:");
  const failing = { turns: [[{ fail: "no login" }]] };
  const first = await store.createSession({});
  expect((await turn({ store, session: first }, failing)).isKept).toBe(false);
  expect(await store.getSession(first.sessionId)).toBeNull();
  const later = await store.createSession({});
  expect((await turn({ store, session: later }, failing, { before: "here" })).isKept).toBe(true);
  expect(await store.getSession(later.sessionId)).not.toBeNull();
});

test("an earlier turn is found by the id of its input, the newest one with its whole answer", async () => {
  await using store = await openStore("memory:");
  const session = await store.createSession({});
  const place = { store, session };
  const before = "here";
  const failed = { turns: [[{ say: "half" }, { fail: "the network is away" }]] };
  await turn(place, failed, { before, turnInput: { inputId: "i" } });
  await turn(place, { turns: [[{ say: "whole" }]] }, { before, turnInput: { inputId: "i" } });
  await turn(place, { turns: [[{ say: "another" }]] }, { before, turnInput: { inputId: "j" } });
  expect(await findTurn(store, session.sessionId, "i")).toMatchObject({
    status: "completed",
    input: "why?",
    answer: "whole",
    reason: "",
  });
  expect(await findTurn(store, session.sessionId, "k")).toBeNull();
});

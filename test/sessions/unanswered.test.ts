/** Inputs that no agent answered: each is a marked message of the transcript, and the next agent reads it. */

import { type Agent, ContinuoError, textOf } from "@continuo/core/model";
import { type Transcript, TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import { cancelRun, executeRun, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { eventsOf } from "./harness/log.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

type Line = readonly [words: string, unanswered: unknown];

const GONE = "[The run was interrupted before it ended: nobody waits with it any more]";

/** Returns every message with its mark about the answer. */
function linesOf({ messages }: Transcript): readonly Line[] {
  return messages.map(({ content, metadata }) => [textOf(content), metadata.unanswered]);
}

const fromStore = (sessionId: string): Promise<Transcript> => TranscriptBuilder.fromStore(store, sessionId);

/** Makes an accepted input whose process was killed before the run began. */
async function neverStarted(sessionId: string, input: string): Promise<string> {
  const { runId } = await store.createRun({ sessionId, input: [{ type: "text", text: input }] });
  await wake(store, sessionId, { leaseMs: 1 });
  return runId;
}

describe("an input whose process was killed before its run began", () => {
  test("is a marked message, even if a whole answer follows, and the next agent reads it", async () => {
    const { sessionId } = await startSession(store);
    await neverStarted(sessionId, "Rename the module.");
    const agent = new ScriptedAgent();
    await runOnce(store, agent, "Run the tests.", { sessionId });
    expect(agent.given[0]?.transcript).toEqual(["user: Rename the module.", `user: ${GONE}`]);
    expect(linesOf(await fromStore(sessionId))).toEqual([
      ["Rename the module.", "interrupted"],
      [GONE, undefined],
      ["Run the tests.", undefined],
      ["done", undefined],
    ]);
  });

  test("reaches an agent that continues its native session", async () => {
    const agent = new ScriptedAgent({ native: "real" });
    const { sessionId } = await runOnce(store, agent, "first");
    await neverStarted(sessionId, "lost");
    await runOnce(store, agent, "next", { sessionId });
    expect(agent.given[1]).toMatchObject({ transcript: ["user: lost", `user: ${GONE}`], input: "next" });
  });

  test("is stored once when a second run answers it, and loses its mark", async () => {
    const { sessionId } = await startSession(store);
    const retryOf = await neverStarted(sessionId, "go");
    let transcript = await fromStore(sessionId);
    const agent = new ScriptedAgent();
    await runOnce(store, agent, "go", { sessionId, retryOf });
    expect(agent.given[0]).toMatchObject({ input: "go", transcript: [`user: ${GONE}`] });
    const now = await fromStore(sessionId);
    expect(linesOf(now)).toEqual([
      ["go", undefined],
      [GONE, undefined],
      ["done", undefined],
    ]);
    transcript = await TranscriptBuilder.updateFromStore(store, transcript);
    expect(transcript.messages).toEqual(now.messages);
  });

  test("is marked again when its next attempt fails before the agent said anything", async () => {
    const { sessionId } = await startSession(store);
    const retryOf = await neverStarted(sessionId, "go");
    const copy = JSON.parse(JSON.stringify(await fromStore(sessionId))) as Transcript;
    const { runId } = await startRun(store, sessionId, "go", { retryOf });
    // Between the two events, the transcript is stored and read again.
    const between = await TranscriptBuilder.updateFromStore(store, copy);
    expect(linesOf(between)[0]).toEqual(["go", undefined]);
    await executeRun(store, new ScriptedAgent({ turns: [[{ fail: "no key" }]] }), runId);
    const stored = JSON.parse(JSON.stringify(between)) as Transcript;
    const updated = await TranscriptBuilder.updateFromStore(store, stored);
    expect(linesOf(updated)[0]).toEqual(["go", "failed"]);
    expect(updated.messages).toEqual((await fromStore(sessionId)).messages);
    expect((await eventsOf(store, sessionId)).filter(({ type }) => type === "message_sent")).toHaveLength(1);
  });
});

test("an input that is cancelled during the first native turn reaches the second one", async () => {
  const { sessionId } = await startSession(store);
  let waiting: string | undefined;
  const hooks = {
    queue: async () => {
      waiting = (await startRun(store, sessionId, "second")).runId;
    },
  };
  const turns = [[{ hook: "queue" }, { say: "one" }], [{ say: "three" }]];
  const agent = new ScriptedAgent({ native: "real", turns, hooks });
  await runOnce(store, agent, "first", { sessionId });
  await cancelRun(store, waiting ?? "", { reason: "not needed" });
  await runOnce(store, agent, "third", { sessionId });
  expect(agent.given[1]).toMatchObject({
    transcript: ["user: second", "user: [The run was cancelled: not needed]"],
    input: "third",
  });
  expect(linesOf(await fromStore(sessionId)).slice(2, 4)).toEqual([
    ["second", "cancelled"],
    ["[The run was cancelled: not needed]", undefined],
  ]);
});

test("an input whose agent cannot be called comes before the reason", async () => {
  const broken: Agent = {
    name: "broken",
    capabilities: () => Promise.reject(new Error("no program")),
    execute: () => Promise.reject(new Error("not called")),
  };
  const reference = { sessionId: "n1", baseSequence: 1, state: "live", model: null };
  const { sessionId } = await startSession(store, { metadata: { providerSessions: { broken: reference } } });
  expect(await runOnce(store, broken, "go", { sessionId })).toMatchObject({ status: "failed" });
  expect(linesOf(await fromStore(sessionId))).toEqual([
    ["go", "failed"],
    ["[The run failed: no program]", undefined],
  ]);
});

test("an input that finds no place in the queue, because several came at the same time, comes before the refusal", async () => {
  const { sessionId } = await startSession(store);
  const both = await Promise.allSettled(
    ["one", "two"].map((input) => startRun(store, sessionId, input, { maxQueued: 1 })),
  );
  const refused = both.filter(({ status }) => status === "rejected");
  const told = linesOf(await fromStore(sessionId)).filter(([, unanswered]) => unanswered !== undefined);
  const cancelled = (await eventsOf(store, sessionId)).filter(({ type }) => type === "run_cancelled");
  expect([refused.length, told.length]).toEqual([1, cancelled.length]);
});

test("an input whose budget is used up before any text is marked; an input with half an answer is not", async () => {
  const usage = { inputTokens: 50, outputTokens: 50 };
  const silent = new ScriptedAgent({ turns: [[{ event: { type: "usage", usage } }, { wait: "abort" }]] });
  const { sessionId } = await runOnce(store, silent, "silent", { budget: { maxTokens: 10 } });
  const talking = new ScriptedAgent({
    turns: [[{ say: "I begin" }, { event: { type: "usage", usage } }, { wait: "abort" }]],
  });
  await runOnce(store, talking, "half", { sessionId, budget: { maxTokens: 10 } });
  const marks = (await fromStore(sessionId)).messages
    .filter(({ metadata }) => metadata.note === undefined)
    .map(({ content, metadata }) => [content[0], metadata.unanswered]);
  expect(marks).toEqual([
    [{ type: "text", text: "silent" }, "cancelled"],
    [{ type: "text", text: "half" }, undefined],
    [{ type: "text", text: "I begin" }, undefined],
  ]);
});

test("an input that was answered is not marked by an agent that fails later", async () => {
  const { sessionId } = await runOnce(store, new EchoAgent(), "first");
  await runOnce(store, new ScriptedAgent({ turns: [[{ fail: "no key" }]] }), "second", { sessionId });
  expect(linesOf(await fromStore(sessionId))).toEqual([
    ["first", undefined],
    ["first", undefined],
    ["second", "failed"],
    ["[The run failed: no key]", undefined],
  ]);
});

describe("an input whose agent worked in a native session when its process was killed", () => {
  /** Makes a run like one of a killed process, whose agent named its native session and sent a message. */
  async function killedIn(
    agent: ScriptedAgent,
    sessionId: string,
    last: "message_sent" | "message_received" | "message_streamed" = "message_received",
    retryOf?: string,
  ): Promise<string> {
    const { runId } = await startRun(store, sessionId, "make it", retryOf === undefined ? {} : { retryOf });
    const killed = new AbortController();
    const onStored = (events: readonly { type: string }[]): void => {
      if (events.some(({ type }) => type === last)) killed.abort();
    };
    const options = {
      continuation: "auto",
      resumeInterrupted: true,
      abandon: killed.signal,
      onStored,
    } as const;
    await expect(executeRun(store, agent, runId, options)).rejects.toMatchObject({ code: "fenced" });
    await wake(store, sessionId, { leaseMs: 1 });
    expect(await store.getRun(runId)).toMatchObject({ status: "interrupted" });
    return runId;
  }

  const turns = [[{ say: "I look." }, { wait: "abort" }], [{ say: "It is made." }]] as const;

  test.each(["first", "second"])("continues that native session in the %s turn", async (turn) => {
    const scripted = new ScriptedAgent({
      native: "real",
      turns: turn === "first" ? turns : [[{ say: "hello" }], ...turns],
    });
    const { sessionId } = await startSession(store);
    if (turn === "second") await runOnce(store, scripted, "hi", { sessionId });
    const retryOf = await killedIn(scripted, sessionId);
    const result = await runOnce(store, scripted, "make it", {
      sessionId,
      retryOf,
      continuation: "auto",
      resumeInterrupted: true,
    });
    expect(result).toMatchObject({ status: "completed", resumption: { happened: "native" } });
    const after = scripted.given.at(-1);
    expect(after?.input).toBe("make it");
    const begun = (await store.getRun(retryOf))?.metadata.native;
    expect(begun).toMatchObject({ sessionId: after?.nativeRef?.sessionId });
    expect(after?.transcript?.join()).not.toContain("user: make it");
    expect(after?.transcript).toContain(
      "user: [The run was interrupted before it ended: the process that ran it ended]",
    );
    // The native session is trusted again.
    expect(await runOnce(store, scripted, "next", { sessionId })).toMatchObject({
      resumption: { happened: "native" },
    });
  });

  test("continues the native session of the second attempt, if the first one was killed before it had one", async () => {
    const scripted = new ScriptedAgent({ native: "real", turns });
    const { sessionId } = await startSession(store);
    const silent = new ScriptedAgent({ turns: [[{ wait: "abort" }]] });
    const retryOf = await killedIn(silent, sessionId, "message_sent");
    await killedIn(scripted, sessionId, "message_received", retryOf);
    const again = { sessionId, retryOf, continuation: "auto", resumeInterrupted: true } as const;
    expect(await runOnce(store, scripted, "make it", again)).toMatchObject({
      status: "completed",
      resumption: { happened: "native" },
    });
    expect(scripted.given[1]?.nativeRef?.sessionId).toEqual(expect.any(String));
  });

  test("continues the native session of the first attempt, however many attempts are killed before they end", async () => {
    const killed = Array.from({ length: 4 }, () => turns[0]);
    const scripted = new ScriptedAgent({ native: "real", turns: [...killed, turns[1]] });
    const { sessionId } = await startSession(store);
    let retryOf = await killedIn(scripted, sessionId);
    for (let kill = 1; kill < killed.length; kill++)
      retryOf = await killedIn(scripted, sessionId, "message_received", retryOf);
    const again = { sessionId, retryOf, continuation: "auto", resumeInterrupted: true } as const;
    expect(await runOnce(store, scripted, "make it", again)).toMatchObject({ status: "completed" });
    const [first, ...others] = scripted.given.map(({ nativeRef }) => nativeRef?.sessionId);
    expect(first).toBeUndefined();
    expect(others).toEqual(Array.from({ length: 4 }, () => others[0]));
    expect(others[0]).toEqual(expect.any(String));
  });

  test("includes the last words before the kill, which only the log has", async () => {
    const part = { type: "text", delta: "I was about to", messageId: "cut" } as const;
    const scripted = new ScriptedAgent({
      native: "real",
      turns: [[{ say: "I look." }, { event: part }, { wait: "abort" }], [{ say: "It is made." }]],
    });
    const { sessionId } = await startSession(store);
    const retryOf = await killedIn(scripted, sessionId, "message_streamed");
    const again = { sessionId, retryOf, continuation: "auto", resumeInterrupted: true } as const;
    expect(await runOnce(store, scripted, "make it", again)).toMatchObject({
      resumption: { happened: "native" },
    });
    expect(scripted.given.at(-1)?.transcript).toEqual([
      "assistant: I was about to",
      "user: [The run was interrupted before it ended: the process that ran it ended]",
    ]);
  });

  /** An agent for whose first calls a program of the killed process still has the native session open. */
  function openElsewhere(agent: ScriptedAgent, calls: number, onCall: () => void = () => undefined): Agent {
    let called = 0;
    return {
      name: agent.name,
      capabilities: () => agent.capabilities(),
      execute: async (request, options) => {
        called += 1;
        onCall();
        if (called <= calls) throw new ContinuoError("session_live", "the session is open in the agent");
        return await agent.execute(request, options);
      },
    };
  }

  test("waits, as one attempt, while a program of the killed process has that session open", async () => {
    const scripted = new ScriptedAgent({ native: "real", turns });
    const { sessionId } = await startSession(store);
    const retryOf = await killedIn(scripted, sessionId);
    const again = { sessionId, retryOf, continuation: "auto", resumeInterrupted: true } as const;
    const result = await runOnce(store, openElsewhere(scripted, 3), "make it", again);
    expect(result).toMatchObject({ status: "completed", resumption: { happened: "native" } });
    const started = (await eventsOf(store, sessionId)).filter(({ type }) => type === "run_started");
    expect([started.length, scripted.given.length]).toEqual([2, 2]);
  });

  test("fails finally if that session stays open, and a cancellation ends the wait", async () => {
    const scripted = new ScriptedAgent({ native: "real", turns });
    const { sessionId } = await startSession(store);
    const retryOf = await killedIn(scripted, sessionId);
    const again = { sessionId, continuation: "auto", resumeInterrupted: true } as const;
    const stop = new AbortController();
    const waiting = openElsewhere(scripted, Number.POSITIVE_INFINITY, () =>
      setTimeout(() => stop.abort(), 1),
    );
    const cancelled = await runOnce(store, waiting, "make it", { ...again, retryOf, signal: stop.signal });
    expect(cancelled).toMatchObject({ status: "cancelled" });

    const now = performance.now.bind(performance);
    let passedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
    const kept = openElsewhere(scripted, Number.POSITIVE_INFINITY, () => {
      passedMs += 20_000;
    });
    const failed = await runOnce(store, kept, "make it", { ...again, retryOf: cancelled.runId });
    vi.restoreAllMocks();
    expect([failed.status, passedMs]).toEqual(["failed", 40_000]);
    expect(failed).toMatchObject({ error: { code: "session_live" } });
  });

  test("is sent by replay if native is not wanted, if another agent answers, and after a failure", async () => {
    const { sessionId } = await startSession(store);
    const scripted = new ScriptedAgent({ native: "real", turns: [...turns, [{ say: "again" }]] });
    const retryOf = await killedIn(scripted, sessionId);
    const other = new ScriptedAgent({ name: "other", native: "real", turns: [[{ fail: "no key" }]] });
    const resumed = { sessionId, continuation: "auto", resumeInterrupted: true } as const;
    const failed = await runOnce(store, other, "make it", { ...resumed, retryOf });
    expect(failed).toMatchObject({ status: "failed", resumption: { happened: "replay" } });
    const again = await runOnce(store, scripted, "make it", {
      sessionId,
      retryOf: failed.runId,
      continuation: "auto",
    });
    expect(again).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
  });
});

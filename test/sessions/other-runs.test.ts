/** Runs of one session are kept apart: an event of one run is not attributed to another one. */

import type { NewEvent, Run, StoredEvent } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent, type Script, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { eventsOf, words } from "./harness/log.ts";

let store: OpenedStore;
let sessionId: string;
beforeEach(async () => {
  store = await openStore("memory:");
  ({ sessionId } = await startSession(store));
});
afterEach(() => store.close());

/** Makes a run like one whose process ended in the middle of it. */
async function leftRunning(input: string, said: readonly NewEvent[] = []): Promise<Run> {
  const run = await startRun(store, sessionId, input);
  const { runId } = run;
  const asked = { type: "message_sent", data: { content: words(input) }, actor: { kind: "person" } } as const;
  const events = [{ type: "run_started", data: { runId } }, asked, ...said];
  await store.append(
    sessionId,
    events.map((event) => ({ ...event, runId })),
    { also: [{ type: "run", runId, to: "running" }] },
  );
  return run;
}

async function eventsIn(type: string): Promise<readonly StoredEvent[]> {
  return (await eventsOf(store, sessionId)).filter((event) => event.type === type);
}

function cancelRequest(runId: string, reason: string): NewEvent {
  return { type: "run_cancel_requested", data: { runId, reason }, runId };
}

test("a run whose process ended is interrupted and offered, although the cancellation of an earlier run was requested", async () => {
  const first = await leftRunning("one");
  await store.append(sessionId, [cancelRequest(first.runId, "not needed")]);
  expect((await wake(store, sessionId)).unprocessed).toEqual([]);
  const second = await leftRunning("two");
  expect(await wake(store, sessionId)).toMatchObject({
    interrupted: [second.runId],
    unprocessed: [{ runId: second.runId, input: words("two") }],
  });
  expect((await store.getRun(first.runId))?.status).toBe("cancelled");
});

test("a request to cancel a run that has ended does not end the run after it", async () => {
  const before = await runOnce(store, new EchoAgent(), "one", { sessionId });
  const { runId } = await startRun(store, sessionId, "two");
  const agent = new ScriptedAgent({
    turns: [[{ hook: "ask" }, { wait: "abort" }]],
    hooks: {
      ask: async () => {
        await store.append(sessionId, [cancelRequest(before.runId, "of the first")]);
        await store.append(sessionId, [cancelRequest(runId, "of the second")]);
      },
    },
  });
  expect(await executeRun(store, agent, runId)).toMatchObject({ status: "cancelled" });
  const [end] = await eventsIn("run_cancelled");
  expect(end?.data).toEqual({ runId, reason: "of the second" });
});

test("the thoughts of an incomplete message stay thoughts", async () => {
  const part = (delta: string, kind: string): NewEvent => {
    return { type: "message_streamed", data: { delta, messageId: "said-1", kind } };
  };
  await leftRunning("go", [part("Should ", "thinking"), part("I?", "thinking"), part("Yes.", "text")]);
  await wake(store, sessionId);
  const [message] = await eventsIn("message_received");
  expect(message?.data).toMatchObject({
    content: [
      { type: "thinking", text: "Should I?" },
      { type: "text", text: "Yes." },
    ],
  });
});

test.each<[string, Script, number | undefined]>([
  ["failed", [{ fail: "out of credit" }], undefined],
  ["timeout", [{ wait: "abort" }], 30],
])("the input of a run whose end is %s can be tried again, once", async (end, turn, timeoutMs) => {
  const options = { sessionId, graceMs: 60_000, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const { runId, status } = await runOnce(store, new ScriptedAgent({ turns: [turn] }), "go", options);
  expect(status).toBe(end);
  const again = await startRun(store, sessionId, "go", { retryOf: runId });
  expect(again.metadata.retryOf).toBe(runId);
  await expect(startRun(store, sessionId, "go", { retryOf: runId })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await executeRun(store, new EchoAgent(), again.runId)).toMatchObject({ status: "completed" });
});

test("a native session that continues receives the turns that happened in another native session of its agent", async () => {
  const agent = new ScriptedAgent({ native: "real", turns: [[{ say: "one" }], [{ say: "two" }]] });
  await runOnce(store, agent, "first", { sessionId });
  const runId = "elsewhere";
  const native = { agent: "scripted", sessionId: "another" };
  const said = { content: words("built it"), messageId: "said-9" };
  await store.append(
    sessionId,
    [
      { type: "message_sent", data: { content: words("build it") }, runId, actor: { kind: "person" } },
      { type: "message_received", data: said, runId, actor: { kind: "agent", agent: "scripted" } },
    ],
    { also: [{ type: "new_run", run: { runId, input: words("build it"), metadata: { native } } }] },
  );
  await runOnce(store, agent, "second", { sessionId, leaseMs: 30 });
  expect(agent.given[1]).toMatchObject({
    input: "second",
    transcript: expect.arrayContaining(["user: build it", "assistant: built it"]),
  });
});

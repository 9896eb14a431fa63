import { spawn } from "node:child_process";
import { once } from "node:events";
import type { NewEvent, Run } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls } from "../intercepted.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { eventsOf, logOf, words } from "./harness/log.ts";

const STARTER = await bundledProgram("test/sessions/processes/starter.ts");

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

/** Makes a run like one whose process ended in the middle of it. */
async function leftRunning(sessionId: string, input: string, said: readonly NewEvent[] = []): Promise<Run> {
  const run = await startRun(store, sessionId, input, { agent: "scripted" });
  const { runId } = run;
  await store.append(
    sessionId,
    [
      { type: "run_started", data: { runId }, runId },
      { type: "message_sent", data: { content: words(input) }, runId, actor: { kind: "person" } },
      ...said.map((event) => ({ ...event, runId })),
    ],
    { also: [{ type: "run", runId, to: "running" }] },
  );
  return run;
}

async function statusOf(runId: string): Promise<string | undefined> {
  return (await store.getRun(runId))?.status;
}

describe("wake", () => {
  test("offers the input of a run that a later one passed because no process waited with it", async () => {
    const { sessionId } = await startSession(store);
    const left = await store.createRun({ sessionId, input: words("first") });
    const passed = await runOnce(store, new EchoAgent(), "second", { sessionId, leaseMs: 30 });
    expect(passed.status).toBe("completed");
    const woken = await wake(store, sessionId, { leaseMs: 1 });
    expect(woken.interrupted).toEqual([left.runId]);
    expect(woken.unprocessed).toMatchObject([{ runId: left.runId, input: words("first") }]);
    const again = await startRun(store, sessionId, words("first"), { retryOf: left.runId });
    await executeRun(store, new EchoAgent(), again.runId);
    expect((await wake(store, sessionId)).unprocessed).toEqual([]);
  });

  test("ends runs without an end, closes their calls, and offers their input", async () => {
    const { sessionId } = await startSession(store);
    const run = await leftRunning(sessionId, "go", [
      { type: "message_streamed", data: { delta: "I was ", messageId: "said-1", kind: "text" } },
      { type: "message_streamed", data: { delta: "saying", messageId: "said-1", kind: "text" } },
      { type: "tool_call_started", data: { toolCallId: "c", toolName: "read" } },
    ]);
    expect(await wake(store, sessionId)).toEqual({
      sessionId,
      interrupted: [run.runId],
      unprocessed: [{ runId: run.runId, input: words("go"), sequence: 2 }],
      received: 0,
      processed: 0,
      heldBy: null,
    });
    expect((await logOf(store, sessionId)).slice(7)).toEqual([
      [
        "message_received",
        "scripted",
        { content: words("I was saying"), messageId: "said-1", stopReason: "interrupted" },
      ],
      ["run_interrupted", "system", { runId: "id1", reason: "the process that ran it ended" }],
    ]);
    const { messages, metadata } = await TranscriptBuilder.fromStore(store, sessionId);
    expect(metadata.openCalls).toEqual([]);
    expect(messages.map(({ role, content }) => [role, content[0]])).toEqual([
      ["user", { type: "text", text: "go" }],
      ["assistant", { type: "text", text: "I was saying" }],
      ["tool", expect.objectContaining({ status: "interrupted" })],
      ["user", expect.objectContaining({ text: expect.stringContaining("interrupted") })],
    ]);
  });

  test("cancels a run whose process ended before it read the request to cancel", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await leftRunning(sessionId, "go", [
      { type: "message_streamed", data: { delta: "I was", messageId: "said-1", kind: "text" } },
    ]);
    const asked = { type: "run_cancel_requested", data: { runId, reason: "stop it" }, runId };
    await store.append(sessionId, [asked]);
    expect(await wake(store, sessionId)).toMatchObject({ interrupted: [], unprocessed: [] });
    expect(await statusOf(runId)).toBe("cancelled");
    expect((await logOf(store, sessionId)).slice(-2)).toMatchObject([
      ["message_received", "scripted", { content: words("I was") }],
      ["run_cancelled", "system", { reason: "stop it" }],
    ]);
  });

  test("a second time finds nothing to end, and offers the same input", async () => {
    const { sessionId } = await startSession(store);
    const run = await leftRunning(sessionId, "go");
    await wake(store, sessionId);
    expect(await wake(store, sessionId)).toMatchObject({
      interrupted: [],
      unprocessed: [{ runId: run.runId }],
    });
  });

  test("ends waiting runs without a process, and offers their input too", async () => {
    const { sessionId } = await startSession(store);
    const left = await leftRunning(sessionId, "one");
    const waiting = await startRun(store, sessionId, "two");
    const { interrupted, unprocessed } = await wake(store, sessionId);
    expect(interrupted).toEqual([left.runId, waiting.runId]);
    expect(unprocessed.map(({ input }) => input)).toEqual([words("one"), words("two")]);
    expect(await statusOf(waiting.runId)).toBe("interrupted");
  });

  test("does not touch a session that a process runs, nor the runs that wait for it", async () => {
    const { sessionId } = await startSession(store);
    let second: Promise<unknown> | undefined;
    const agent = new ScriptedAgent({
      turns: [[{ hook: "wake" }, { say: "done" }]],
      hooks: {
        wake: async () => {
          const { runId } = await startRun(store, sessionId, "two");
          second = executeRun(store, new EchoAgent(), runId);
          await expect.poll(() => store.getLease(`run/${runId}`)).not.toBeNull();
          expect(await wake(store, sessionId)).toMatchObject({
            interrupted: [],
            unprocessed: [],
            heldBy: { owner: expect.any(String), expiresAt: expect.any(String) },
          });
        },
      },
    });
    expect(await runOnce(store, agent, "one", { sessionId })).toMatchObject({ status: "completed" });
    expect(await second).toMatchObject({ status: "completed" });
  });

  test("does not touch runs that a process waits for while no process runs the session", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "mine");
    await store.acquireLease(`run/${runId}`, { owner: "waiting" });
    expect(await wake(store, sessionId)).toMatchObject({ interrupted: [], unprocessed: [] });
    expect(await statusOf(runId)).toBe("pending");
  });

  test("does not touch a run that another process has just started, until that process ended", async () => {
    const { sessionId } = await startSession(store);
    const child = spawn(process.execPath, [STARTER, sessionId], { stdio: ["pipe", "pipe", "inherit"] });
    // A real process would write this line into the same store.
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { actor } = JSON.parse(line.toString());
    const runId = "started-elsewhere";
    const data = { runId, input: words("go") };
    await store.append(sessionId, [{ type: "run_created", data, runId, actor }], {
      also: [{ type: "new_run", run: { runId, input: words("go") } }],
    });
    expect(await wake(store, sessionId)).toMatchObject({ interrupted: [], unprocessed: [] });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await wake(store, sessionId)).toMatchObject({ interrupted: [runId], unprocessed: [{ runId }] });
  });

  test("ends a waiting run of an ended process after the clock of the store was set back", async () => {
    let nowMs = Date.UTC(2026, 0, 2);
    await using moved = await openStore("memory:", { now: () => nowMs });
    const { sessionId } = await startSession(moved);
    const runId = "started-elsewhere";
    const data = { runId, input: words("go") };
    const actor = { kind: "system", id: "@another" } as const;
    await moved.append(sessionId, [{ type: "run_created", data, runId, actor }], {
      also: [{ type: "new_run", run: { runId, input: words("go") } }],
    });
    expect(await wake(moved, sessionId)).toMatchObject({ interrupted: [] });
    nowMs -= 3_600_000;
    expect(await wake(moved, sessionId)).toMatchObject({ interrupted: [runId] });
  });

  test("does not touch a run that was started in this process and is about to be executed", async () => {
    const { sessionId } = await startSession(store);
    const wakes: Promise<{ readonly interrupted: readonly string[] }>[] = [];
    // At each call of the run to the store, another caller wakes the session.
    const waking = withCalls(store, ({ proceed }) => {
      if (wakes.length < 12) wakes.push(wake(store, sessionId));
      return proceed();
    });
    expect(await runOnce(waking, new EchoAgent(), "go", { sessionId })).toMatchObject({
      status: "completed",
    });
    const woken = await Promise.all(wakes);
    expect(woken.flatMap(({ interrupted }) => interrupted)).toEqual([]);
    expect(woken.length).toBeGreaterThan(5);
  });

  test("offers the last message, however many runs of a long-lived session were interrupted before", async () => {
    const { sessionId } = await startSession(store);
    // The number exceeds a page of the store's list.
    for (let at = 0; at < 1_001; at++) {
      const run = await store.createRun({ sessionId, agent: "scripted", input: { content: words("old") } });
      await store.transitionRun(run.runId, { to: "interrupted" });
    }
    const sequence = (await store.getLog(sessionId))?.latestSequence ?? 0;
    await store.commitCursor({ logId: sessionId, name: "processed", sequence });
    const { runId } = await leftRunning(sessionId, "new");
    expect((await wake(store, sessionId)).unprocessed.map((one) => one.runId)).toEqual([runId]);
  });

  test("of a missing session fails with not_found", async () => {
    await expect(wake(store, "nowhere")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("input that is tried again", () => {
  test("after a cancellation, its native session does not receive it a second time", async () => {
    const agent = new ScriptedAgent({
      native: "real",
      turns: [[{ say: "half" }, { wait: "abort" }], [{ say: "whole" }]],
    });
    const { sessionId } = await startSession(store);
    const stop = new AbortController();
    const onStored = (events: readonly { readonly type: string }[]): void => {
      if (events.some(({ type }) => type === "message_streamed" || type === "message_received")) stop.abort();
    };
    const options = { sessionId, continuation: "auto" } as const;
    const first = await runOnce(store, agent, "go", { ...options, signal: stop.signal, onStored });
    expect(first.status).toBe("cancelled");
    const again = await runOnce(store, agent, "go", { ...options, retryOf: first.runId });
    expect(again).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
    expect(agent.given[1]?.transcript).not.toContain("user: go");
    const taken = runOnce(store, agent, "go", { ...options, retryOf: first.runId });
    await expect(taken).rejects.toMatchObject({ code: "conflict" });
  });

  test("is stored once, and the agent receives it once", async () => {
    const { sessionId } = await startSession(store);
    await leftRunning(sessionId, "go", [{ type: "message_received", data: { content: "half" } }]);
    const [offered] = (await wake(store, sessionId)).unprocessed;
    const agent = new ScriptedAgent();
    const { status } = await runOnce(store, agent, offered?.input ?? "", {
      sessionId,
      retryOf: offered?.runId ?? "",
    });
    expect(status).toBe("completed");
    expect(agent.given[0]).toMatchObject({
      input: "go",
      transcript: [
        "assistant: half",
        "user: [The run was interrupted before it ended: the process that ran it ended]",
      ],
    });
    const sent = (await eventsOf(store, sessionId)).filter(({ type }) => type === "message_sent");
    expect(sent).toHaveLength(1);
    expect(await wake(store, sessionId)).toMatchObject({ unprocessed: [] });
    await runOnce(store, agent, "next", { sessionId });
    expect(agent.given[1]?.transcript?.filter((line) => line === "user: go")).toHaveLength(1);
  });

  test("is given to only one run, however many request it", async () => {
    const { sessionId } = await startSession(store);
    const { runId: retryOf } = await leftRunning(sessionId, "go");
    await wake(store, sessionId);
    const asked = await Promise.allSettled(
      Array.from({ length: 4 }, () => startRun(store, sessionId, "go", { retryOf })),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of asked) {
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "conflict" });
    }
  });

  test("that is interrupted a second time is offered a second time, and stored once", async () => {
    const { sessionId } = await startSession(store);
    const first = await startRun(store, sessionId, "go");
    await wake(store, sessionId);
    // The input is interrupted before its run began, then while its agent worked on it, and then answered.
    const second = await startRun(store, sessionId, "go", { retryOf: first.runId });
    await store.transitionRun(second.runId, { to: "running" });
    const { unprocessed } = await wake(store, sessionId);
    expect(unprocessed.map(({ runId }) => runId)).toEqual([second.runId]);
    const agent = new ScriptedAgent();
    await runOnce(store, agent, "go", { sessionId, retryOf: second.runId });
    expect(agent.given[0]).toMatchObject({ input: "go" });
    expect(agent.given[0]?.transcript?.some((line) => line === "user: go")).toBe(false);
    const sent = (await eventsOf(store, sessionId)).filter(({ type }) => type === "message_sent");
    expect(sent).toHaveLength(1);
    expect((await wake(store, sessionId)).unprocessed).toEqual([]);
  });

  test("is not lost if another caller took the last place in the queue", async () => {
    const { sessionId } = await startSession(store);
    const { runId: retryOf } = await leftRunning(sessionId, "go");
    await wake(store, sessionId);
    const append = store.append.bind(store);
    const raced = vi.spyOn(store, "append").mockImplementationOnce(async (...args) => {
      await store.createRun({ sessionId, input: words("quicker") });
      return append(...args);
    });
    await expect(startRun(store, sessionId, "go", { retryOf, maxQueued: 1 })).rejects.toMatchObject({
      code: "too_many_runs",
    });
    raced.mockRestore();
    const { unprocessed } = await wake(store, sessionId);
    expect(unprocessed.map(({ input }) => input)).toEqual([words("quicker"), words("go")]);
    expect(await startRun(store, sessionId, "go", { retryOf })).toMatchObject({ status: "pending" });
  });

  test("of a completed run is refused", async () => {
    const { run, sessionId } = await runOnce(store, new EchoAgent(), "go");
    await expect(startRun(store, sessionId, "go", { retryOf: run.runId })).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("the cursors", () => {
  test("the received cursor moves when input is sent, the processed cursor when its run has ended", async () => {
    const { sessionId } = await startSession(store);
    const at = async (name: string): Promise<number> =>
      (await store.getCursor({ logId: sessionId, name }))?.sequence ?? 0;
    const seen: number[] = [];
    const agent = new ScriptedAgent({
      turns: [[{ hook: "look" }, { say: "done" }]],
      hooks: { look: async () => void seen.push(await at("received"), await at("processed")) },
    });
    await runOnce(store, agent, "go", { sessionId });
    expect([...seen, await at("received"), await at("processed")]).toEqual([2, 0, 2, 2]);
  });

  test("the processed cursor does not pass unanswered input", async () => {
    const { sessionId } = await startSession(store);
    const left = await leftRunning(sessionId, "left");
    await wake(store, sessionId);
    await runOnce(store, new EchoAgent(), "next", { sessionId });
    expect(await wake(store, sessionId)).toMatchObject({
      processed: 0,
      unprocessed: [{ runId: left.runId }],
    });
    await runOnce(store, new EchoAgent(), "left", { sessionId, retryOf: left.runId });
    const { processed, received } = await wake(store, sessionId);
    expect(processed).toBe(received);
  });

  test("a cursor that is moved by hand withdraws an offer", async () => {
    const { sessionId } = await startSession(store);
    await leftRunning(sessionId, "left");
    const { unprocessed } = await wake(store, sessionId);
    await store.commitCursor({
      logId: sessionId,
      name: "processed",
      sequence: unprocessed[0]?.sequence ?? 0,
    });
    expect((await wake(store, sessionId)).unprocessed).toEqual([]);
  });
});

describe("a native session whose turn was interrupted", () => {
  test("is not trusted by auto, and everything is replayed once", async () => {
    const { sessionId } = await startSession(store);
    const agent = new ScriptedAgent({ native: "real", turns: [[{ say: "one" }], [{ say: "three" }]] });
    await runOnce(store, agent, "first", { sessionId });
    const native = { agent: "scripted", sessionId: `native-${agent.given[0]?.runId}-1` };
    const { runId } = await startRun(store, sessionId, "second", { agent: "scripted" });
    await store.append(sessionId, [{ type: "message_sent", data: { content: words("second") }, runId }], {
      also: [{ type: "run", runId, to: "running", patch: { metadata: { native } } }],
    });
    await wake(store, sessionId);
    expect((await store.getSession(sessionId))?.metadata).toMatchObject({
      providerSessions: { scripted: { state: "unsure" } },
    });
    const { resumption } = await runOnce(store, agent, "second", { sessionId, retryOf: runId });
    expect(resumption).toMatchObject({ happened: "replay", reason: expect.stringContaining("cut off") });
    expect(agent.given[1]).toMatchObject({
      nativeRef: null,
      transcript: [
        "user: first",
        "assistant: one",
        "user: [The run was interrupted before it ended: the process that ran it ended]",
      ],
    });
    expect((await store.getSession(sessionId))?.metadata).toMatchObject({
      providerSessions: { scripted: { state: "live" } },
    });
  });

  test("an agent that received the input with the earlier messages does not receive it again", async () => {
    const { sessionId } = await startSession(store);
    const left = await leftRunning(sessionId, "left");
    const agent = new ScriptedAgent({ native: "real" });
    await runOnce(store, agent, "next", { sessionId });
    const { resumption } = await runOnce(store, agent, "left", { sessionId, retryOf: left.runId });
    expect(agent.given[0]?.transcript?.[0]).toBe("user: left");
    expect(resumption).toMatchObject({
      happened: "replay",
      reason: expect.stringContaining("has already received this input"),
    });
    expect(agent.given[1]?.transcript).not.toContain("user: left");
  });
});

import { join } from "node:path";
import { ContinuoError, type Run, type Store } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import { cancelRun, executeRun, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EchoAgent, type Script, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls, withMethods } from "../intercepted.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { logOf, words } from "./harness/log.ts";

let folder: string;
let url: string;
let store: OpenedStore;
beforeEach(async () => {
  folder = scratchFolder("sessions");
  url = `sqlite:${join(folder, "store.db")}`;
  store = await openStore(url);
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

/** Returns the log of a run that began, from its answer on. */
async function tailOf(sessionId: string): Promise<readonly (readonly [string, unknown])[]> {
  return (await logOf(store, sessionId)).slice(5).map(([type, , data]) => [type, data]);
}

function openCalls(sessionId: string): Promise<readonly string[]> {
  return TranscriptBuilder.fromStore(store, sessionId).then(({ metadata }) => metadata.openCalls);
}

/** An agent that sends a message, calls a tool, and then waits. */
function waiting(what: "abort" | "forever", onWaiting: () => void = () => undefined): ScriptedAgent {
  return new ScriptedAgent({
    turns: [[{ stream: ["I "] }, { call: "read", id: "c" }, { hook: "waiting" }, { wait: what }]],
    hooks: { waiting: onWaiting },
  });
}

/** The run's time limit ends exactly when `passTime` is called. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

function passTime(): void {
  vi.advanceTimersByTime(400);
  vi.useRealTimers();
}

const STARTED = [
  ["message_streamed", { delta: "I ", messageId: "said-1", kind: "text" }],
  ["message_received", { content: words("I "), messageId: "said-1" }],
  ["tool_call_started", { toolCallId: "c", toolName: "read", toolInput: {} }],
];

describe.each(["abort", "forever"] as const)("an agent that waits (%s)", (what) => {
  const graceMs = what === "abort" ? 60_000 : 10;

  test("exceeds its time limit: the run is timed out", async () => {
    const { sessionId } = await startSession(store);
    stopTime();
    const result = await runOnce(store, waiting(what, passTime), "go", {
      sessionId,
      continuation: false,
      timeoutMs: 400,
      graceMs,
    });
    expect(result).toMatchObject({ status: "timeout", text: "I " });
    expect(await tailOf(sessionId)).toEqual([
      ...STARTED,
      ["run_timed_out", { runId: "id1", timeoutMs: 400 }],
    ]);
    expect(await openCalls(sessionId)).toEqual([]);
  });

  test("is stopped by a signal: the run is cancelled", async () => {
    const controller = new AbortController();
    const agent = waiting(what, () => controller.abort("enough"));
    const result = await runOnce(store, agent, "go", { graceMs, signal: controller.signal });
    expect(result.status).toBe("cancelled");
    expect(await tailOf(result.sessionId)).toEqual([
      ...STARTED,
      ["run_cancelled", { runId: "id1", reason: "enough" }],
    ]);
    expect(await openCalls(result.sessionId)).toEqual([]);
  });

  test("is stopped by another process: the request is an event, and the owner ends the run", async () => {
    await using other = await openStore(url);
    let asked: Promise<Run> | undefined;
    const agent = waiting(what, () => {
      asked = cancelRun(other, run.runId, { reason: "not needed" });
    });
    const { sessionId } = await startSession(store);
    const run = await startRun(store, sessionId, "go");
    const result = await executeRun(store, agent, run.runId, { graceMs });
    expect(result.status).toBe("cancelled");
    expect(await asked).toMatchObject({ runId: run.runId });
    expect(await tailOf(sessionId)).toEqual([
      ...STARTED,
      ["run_cancel_requested", { runId: "id1", reason: "not needed" }],
      ["run_cancelled", { runId: "id1", reason: "not needed" }],
    ]);
  });
});

test("the first reason to stop is the one that counts", async () => {
  const controller = new AbortController();
  const agent = new ScriptedAgent({
    turns: [[{ usage: { inputTokens: 9, outputTokens: 9 } }, { hook: "abort" }, { wait: "abort" }]],
    hooks: { abort: () => controller.abort("later") },
  });
  const result = await runOnce(store, agent, "go", { signal: controller.signal, budget: { maxTokens: 1 } });
  expect((await tailOf(result.sessionId)).at(-1)).toEqual([
    "run_cancelled",
    expect.objectContaining({ reason: "the budget was used up (maxTokens)" }),
  ]);
});

test("output that an agent sends after the end of its run is refused without harm", async () => {
  const late: unknown[] = [];
  let speak = (): void => undefined;
  const spoken = new Promise<void>((resolve) => {
    speak = () => resolve();
  });
  stopTime();
  const { sessionId } = await runOnce(
    store,
    {
      name: "late",
      capabilities: new EchoAgent().capabilities,
      execute: async (_, { onEvent }) => {
        passTime();
        await spoken;
        // The agent does not wait for this promise, and its rejection must not end the process.
        void onEvent({ type: "text", delta: "hello?" });
        await onEvent({ type: "text", delta: "anybody?" }).catch((error: unknown) => late.push(error));
        return {};
      },
    },
    "go",
    { timeoutMs: 400, graceMs: 1 },
  );
  speak();
  await expect.poll(() => late).toEqual([expect.objectContaining({ code: "interrupted" })]);
  expect(await tailOf(sessionId)).toEqual([["run_timed_out", { runId: "id1", timeoutMs: 400 }]]);
});

describe("cancelRun", () => {
  test("cancels a waiting run at once", async () => {
    const { sessionId } = await startSession(store);
    const run = await startRun(store, sessionId, "go");
    expect(await cancelRun(store, run.runId, { reason: "no" })).toMatchObject({ status: "cancelled" });
    expect((await logOf(store, sessionId)).slice(2)).toEqual([
      ["message_sent", "person", { content: words("go") }],
      ["run_cancelled", "system", { runId: "id1", reason: "no" }],
    ]);
    await expect(executeRun(store, new EchoAgent(), run.runId)).rejects.toMatchObject({
      code: "invalid_transition",
    });
  });

  test("cancels a run that a worker has claimed and not begun yet", async () => {
    const reference = { sessionId: "n1", baseSequence: 1, state: "live", model: null };
    const { sessionId } = await startSession(store, { metadata: { providerSessions: { slow: reference } } });
    const { runId } = await startRun(store, sessionId, "go", { agent: "slow" });
    const agent = new ScriptedAgent({ name: "slow", turns: [[{ wait: "abort" }]] });
    const capabilities = agent.capabilities.bind(agent);
    agent.capabilities = async () => {
      await cancelRun(store, runId, { reason: "no" });
      return await capabilities();
    };
    expect(await store.claimNextRun({ owner: "w", agents: ["slow"] })).toMatchObject({ runId });
    const result = await executeRun(store, agent, runId, { claimedBy: "w", continuation: "auto" });
    expect(result.status).toBe("cancelled");
  });

  test("of a run that has ended, or that does not exist, is refused", async () => {
    const { run } = await runOnce(store, new EchoAgent(), "go");
    await expect(cancelRun(store, run.runId)).rejects.toMatchObject({ code: "invalid_transition" });
    await expect(cancelRun(store, "nowhere")).rejects.toMatchObject({ code: "not_found" });
  });

  test("of a run that begins at this moment is a request to its owner", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "go");
    let begins = async (): Promise<void> => {
      begins = () => Promise.resolve();
      const lease = await store.acquireLease(`session/${sessionId}`, { owner: "another" });
      await store.transitionRun(runId, { to: "running", owner: "another", lease });
    };
    const racing = withMethods<Store>(store, {
      append: async (...args) => {
        await begins();
        return store.append(...args);
      },
    });
    expect(await cancelRun(racing, runId)).toMatchObject({ status: "running" });
    expect((await logOf(store, sessionId)).slice(2)).toEqual([
      ["run_started", "system", { runId: "id1", owner: "another" }],
      ["run_cancel_requested", "system", { runId: "id1" }],
    ]);
  });

  test("cancels a run whose owner ended: its message is completed, and its native session is not trusted", async () => {
    const { sessionId } = await startSession(store, {
      metadata: { providerSessions: { scripted: { sessionId: "n1", baseSequence: 1, state: "live" } } },
    });
    const { runId } = await startRun(store, sessionId, "go", { agent: "scripted" });
    const native = { agent: "scripted", sessionId: "n1" };
    const part = { delta: "I was", messageId: "said-1", kind: "text" };
    await store.append(
      sessionId,
      [
        { type: "run_started", data: { runId }, runId },
        { type: "message_sent", data: { content: words("go") }, runId, actor: { kind: "person" } },
        { type: "message_streamed", data: part, runId },
      ],
      { also: [{ type: "run", runId, to: "running", patch: { metadata: { native } } }] },
    );
    expect(await cancelRun(store, runId, { reason: "no" })).toMatchObject({ status: "cancelled" });
    expect((await logOf(store, sessionId)).slice(5)).toEqual([
      [
        "message_received",
        "scripted",
        { content: words("I was"), messageId: "said-1", stopReason: "interrupted" },
      ],
      ["session_updated", "system", expect.anything()],
      ["run_cancelled", "system", { runId: "id1", reason: "no" }],
    ]);
    expect((await store.getSession(sessionId))?.metadata).toMatchObject({
      providerSessions: { scripted: { sessionId: "n1", state: "unsure" } },
    });
  });

  test("ends the wait of a run in the queue", async () => {
    const { sessionId } = await startSession(store);
    const second: { cancelled?: Promise<unknown>; done?: ReturnType<typeof executeRun> } = {};
    const first = new ScriptedAgent({
      turns: [[{ hook: "queue" }, { say: "done" }]],
      hooks: {
        queue: async () => {
          const { runId } = await startRun(store, sessionId, "two");
          second.done = executeRun(store, new EchoAgent(), runId);
          second.cancelled = cancelRun(store, runId);
          expect(await second.done).toMatchObject({ status: "cancelled", resumption: null });
        },
      },
    });
    expect(await runOnce(store, first, "one", { sessionId })).toMatchObject({ status: "completed" });
    await second.cancelled;
  });

  test("a signal ends the wait too", async () => {
    const { sessionId } = await startSession(store);
    const controller = new AbortController();
    const first = new ScriptedAgent({
      turns: [[{ hook: "queue" }, { say: "done" }]],
      hooks: {
        queue: async () => {
          const waits = runOnce(store, new EchoAgent(), "two", { sessionId, signal: controller.signal });
          controller.abort();
          await expect(waits).rejects.toMatchObject({ code: "cancelled" });
          const { runId } = await startRun(store, sessionId, "three");
          expect(
            await executeRun(store, new EchoAgent(), runId, { signal: AbortSignal.abort() }),
          ).toMatchObject({ status: "cancelled" });
        },
      },
    });
    expect(await runOnce(store, first, "one", { sessionId })).toMatchObject({ status: "completed" });
  });
});

describe("a budget", () => {
  const USAGE = { inputTokens: 60, outputTokens: 50 };
  test.each<[object, Script, object]>([
    [{ maxTokens: 100 }, [{ usage: USAGE }], { limit: "maxTokens", value: 110, allowed: 100 }],
    [
      { maxCostUsd: 0.1 },
      [{ usage: USAGE, costUsd: 0.2 }],
      { limit: "maxCostUsd", value: 0.2, allowed: 0.1 },
    ],
    [
      { maxToolCalls: 1 },
      [
        { call: "a", id: "1", result: "x" },
        { call: "b", id: "2" },
      ],
      { limit: "maxToolCalls", value: 2, allowed: 1 },
    ],
    [{ maxDurationMs: 20 }, [], { limit: "maxDurationMs", value: 20, allowed: 20 }],
  ])("of %j ends the run as cancelled, with a note", async (budget, script, exceeded) => {
    const agent = new ScriptedAgent({ turns: [[...script, { wait: "abort" }]] });
    const result = await runOnce(store, agent, "go", { budget });
    expect(result.status).toBe("cancelled");
    const log = await tailOf(result.sessionId);
    const reason = `the budget was used up (${"limit" in exceeded ? exceeded.limit : ""})`;
    expect(log.filter(([type]) => type === "budget_exceeded")).toEqual([["budget_exceeded", exceeded]]);
    expect(log.at(-1)).toEqual(["run_cancelled", expect.objectContaining({ runId: "id1", reason })]);
    const { messages } = await TranscriptBuilder.fromStore(store, result.sessionId);
    expect(JSON.stringify(messages.slice(-3))).toContain("The budget of the run was used up");
  });

  test("that is not exceeded changes nothing", async () => {
    const agent = new ScriptedAgent({ turns: [[{ usage: USAGE }, { call: "a", id: "1", result: "x" }]] });
    const budget = { maxTokens: 110, maxCostUsd: 1, maxToolCalls: 1, maxDurationMs: 1e12 };
    expect(await runOnce(store, agent, "go", { budget, timeoutMs: 1e12 })).toMatchObject({
      status: "completed",
    });
  });
});

/**
 * A store whose appends fail: with `before` nothing is stored; with `after` the events are stored, but the call fails.
 */
function failing(at: (types: readonly string[]) => "before" | "after" | null): Store {
  return withMethods<Store>(store, {
    append: async (logId, events, options) => {
      const when = at(events.map(({ type }) => type));
      const error = new ContinuoError("unavailable", "The disk is gone.");
      if (when === "before") throw error;
      const stored = await store.append(logId, events, options);
      if (when === "after") throw error;
      return stored;
    },
  });
}

/** A store that answers no call. */
function away(isAway: () => boolean): Store {
  return withCalls<Store>(store, ({ method, proceed }) => {
    // `tail` returns an iterable and not a promise.
    if (method === "tail" || !isAway()) return proceed();
    return Promise.reject(new ContinuoError("unavailable", "the database does not answer"));
  });
}

describe("a storage failure", () => {
  const AGENT = { turns: [[{ say: "one" }, { say: "two" }, { say: "three" }]] };

  test.each(["before", "after"] as const)(
    "(%s the write) for which the agent does not wait stops the run as failed, and its messages are stored",
    async (when) => {
      let count = 0;
      const broken = failing((types) => (types.includes("message_received") && ++count === 2 ? when : null));
      const result = await runOnce(broken, new ScriptedAgent(AGENT), "go", { storeMs: 0 });
      expect(result).toMatchObject({ status: "failed", error: { code: "unavailable" } });
      expect(await tailOf(result.sessionId)).toEqual([
        ["message_received", { content: words("one"), messageId: "said-1" }],
        ["message_received", { content: words("two"), messageId: "said-2" }],
        [
          "run_failed",
          {
            runId: "id1",
            error: {
              code: "unavailable",
              message: "cannot store the output of the agent: The disk is gone.",
              details: { code: "unavailable", lostEvents: 0 },
            },
          },
        ],
      ]);
    },
  );

  test.each(["before", "after"] as const)("(%s any write) that is temporary ends no run", async (when) => {
    let count = 0;
    // Each write fails twice, and is then stored once.
    const broken = failing(() => (++count % 3 === 0 ? null : when));
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "go");
    const result = await executeRun(broken, new ScriptedAgent(AGENT), runId);
    expect(result).toMatchObject({ status: "completed", text: "three" });
    expect((await logOf(store, sessionId)).map(([type]) => type)).toEqual([
      "session_created",
      "run_created",
      "run_started",
      "message_sent",
      "session_resumed",
      "message_received",
      "message_received",
      "message_received",
      "turn_completed",
      "run_completed",
    ]);
  });

  test("at the end is tried again, and the end is stored once", async () => {
    let tries = 0;
    const broken = failing((types) => (types.includes("run_completed") && ++tries < 3 ? "after" : null));
    const result = await runOnce(broken, new ScriptedAgent(AGENT), "go");
    expect(result.status).toBe("completed");
    expect((await tailOf(result.sessionId)).map(([type]) => type)).toEqual([
      "message_received",
      "message_received",
      "message_received",
      "turn_completed",
      "run_completed",
    ]);
  });

  test("that lasts leaves the run for a later wake", async () => {
    const broken = failing((types) =>
      types.includes("message_received") || types.includes("run_failed") ? "before" : null,
    );
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "go");
    const options = { storeMs: 50 };
    await expect(executeRun(broken, new ScriptedAgent(AGENT), runId, options)).rejects.toMatchObject({
      code: "unavailable",
      message: "cannot store the last output of the agent: The disk is gone.",
    });
    expect(await store.getRun(runId)).toMatchObject({ status: "running" });
  });

  test("that lasts does not lock this process out of the session: wake takes it over at once", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "go");
    let state: "here" | "away" = "here";
    const broken = away(() => state === "away");
    const agent = new ScriptedAgent({
      turns: [[{ say: "one" }, { hook: "leave" }, { say: "two" }]],
      hooks: {
        leave: () => {
          state = "away";
        },
      },
    });
    await expect(executeRun(broken, agent, runId, { storeMs: 50 })).rejects.toMatchObject({
      code: "unavailable",
    });
    // The lease was not released.
    expect(await store.getLease(`session/${sessionId}`)).not.toBeNull();
    expect(await wake(store, sessionId)).toMatchObject({
      interrupted: [runId],
      unprocessed: [{ runId }],
      heldBy: null,
    });
  });

  test.each([
    ["too large", "x".repeat(34_000_000), "too_large"],
    ["no JSON", 1n, "invalid"],
  ])(
    "of an event that is %s fails the run with its code, and the other events are stored",
    async (_, value, code) => {
      const events: Script = [
        { say: "one" },
        { event: { type: "diagnostics", details: value } },
        { say: "never" },
      ];
      const result = await runOnce(store, new ScriptedAgent({ turns: [events] }), "go");
      expect(result).toMatchObject({ status: "failed", error: { code, details: { code, lostEvents: 1 } } });
      expect((await tailOf(result.sessionId)).map(([type]) => type)).toEqual([
        "message_received",
        "run_failed",
      ]);
    },
  );
});

describe("a session that another process takes over", () => {
  test("stops the run as fenced, without further writes", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "go");
    const agent = new ScriptedAgent({
      turns: [[{ say: "one" }, { hook: "take" }, { say: "two" }, { say: "three" }]],
      hooks: {
        take: async () => {
          const lease = await store.getLease(`session/${sessionId}`);
          await store.acquireLease(`session/${sessionId}`, { owner: lease?.owner ?? "" });
        },
      },
    });
    await expect(executeRun(store, agent, runId)).rejects.toMatchObject({ code: "fenced" });
    expect(await tailOf(sessionId)).toEqual([
      ["message_received", { content: words("one"), messageId: "said-1" }],
    ]);
    expect(await store.getRun(runId)).toMatchObject({ status: "running" });
  });

  test("is noticed when the lease is renewed, even if the agent sends nothing", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "go");
    const agent = new ScriptedAgent({
      turns: [[{ hook: "take" }, { wait: "abort" }]],
      hooks: {
        take: async () => {
          // On a busy machine the lease expires before it is renewed, and has no owner for a moment.
          const lease = await vi.waitUntil(() => store.getLease(`session/${sessionId}`));
          await store.acquireLease(`session/${sessionId}`, { owner: lease?.owner ?? "" });
        },
      },
    });
    await expect(executeRun(store, agent, runId, { leaseMs: 60 })).rejects.toMatchObject({ code: "fenced" });
  });
});

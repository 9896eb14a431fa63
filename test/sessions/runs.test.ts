import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, AgentEvent } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun, runOnce, startRun, startSession } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EchoAgent, type Script, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { eventsOf, logOf, normal, words } from "./harness/log.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

async function runScript(script: Script): Promise<string> {
  const result = await runOnce(store, new ScriptedAgent({ turns: [script] }), "go");
  return result.sessionId;
}

/** Returns the events between the input and the end. */
async function saidIn(sessionId: string): Promise<readonly unknown[]> {
  const log = await logOf(store, sessionId);
  return log.slice(5, -2).map(([type, , data]) => [type, data]);
}

describe("a run", () => {
  test("is recorded, started, answered and completed, with an event for each step", async () => {
    const { sessionId } = await startSession(store, { title: "Hello" });
    const run = await startRun(store, sessionId, "hi", { agent: "echo" });
    expect(run.status).toBe("pending");
    const result = await executeRun(store, new EchoAgent(), run.runId);
    expect(await logOf(store, sessionId)).toEqual([
      ["session_created", "system", { title: "Hello" }],
      ["run_created", "system", { runId: "id1", input: words("hi"), agent: "echo" }],
      ["run_started", "system", { runId: "id1", owner: "id2" }],
      ["message_sent", "person", { content: words("hi") }],
      ["session_resumed", "system", { requested: "false", happened: "new", verifiedBy: "none" }],
      ["message_received", "echo", { content: words("hi"), messageId: "said-1" }],
      ["turn_completed", "echo", { stopReason: "end_turn" }],
      ["run_completed", "system", { runId: "id1", result: { stopReason: "end_turn" } }],
    ]);
    expect(normal(result)).toEqual({
      runId: "id1",
      sessionId: "id2",
      status: "completed",
      run: normal(
        await store.getRun(run.runId),
        new Map([
          [run.runId, "id1"],
          [sessionId, "id2"],
        ]),
      ),
      resumption: { requested: "false", happened: "new", verifiedBy: "none" },
      text: "hi",
      stopReason: "end_turn",
    });
  });

  test("releases its session in the same write as its end", async () => {
    const [appended, released] = [vi.spyOn(store, "append"), vi.spyOn(store, "releaseLease")];
    const { sessionId } = await runOnce(store, new EchoAgent(), "hi");
    expect(appended.mock.calls.at(-1)?.[2]?.also?.at(-1)).toMatchObject({
      type: "lease_release",
      name: `session/${sessionId}`,
    });
    expect(released).not.toHaveBeenCalled();
    expect(await store.getLease(`session/${sessionId}`)).toBeNull();
  });

  test("does not acquire its session a second time by a late renewal", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const renewLease = store.renewLease.bind(store);
    vi.spyOn(store, "renewLease").mockImplementation(async (options) => {
      ask();
      await sleep(100);
      return renewLease(options);
    });
    const agent = new ScriptedAgent({ turns: [[{ hook: "wait" }]], hooks: { wait: () => asked } });
    const { sessionId } = await runOnce(store, agent, "hi", { leaseMs: 900 });
    expect(await store.getLease(`session/${sessionId}`)).toBeNull();
    await sleep(150);
    expect(await store.getLease(`session/${sessionId}`)).toBeNull();
  });

  test("releases its session even if its end cannot be stored", async () => {
    const { sessionId } = await startSession(store);
    const append = store.append.bind(store);
    vi.spyOn(store, "append").mockImplementation((logId, events, options) =>
      events.some(({ type }) => type === "run_completed")
        ? Promise.reject(new Error("no more"))
        : append(logId, events, options),
    );
    await expect(runOnce(store, new EchoAgent(), "hi", { sessionId })).rejects.toThrow("no more");
    expect(await store.getLease(`session/${sessionId}`)).toBeNull();
  });

  test("has its input in the log before the agent is called, and not in its transcript", async () => {
    const types: string[][] = [];
    const agent: Agent = {
      name: "looking",
      capabilities: new EchoAgent().capabilities,
      execute: async ({ run, transcript }) => {
        types.push((await store.read(run.sessionId, { runId: run.runId })).events.map(({ type }) => type));
        expect(transcript?.messages.map(({ content }) => content) ?? []).toEqual([]);
        return {};
      },
    };
    await runOnce(store, agent, "hi");
    expect(types).toEqual([["run_created", "run_started", "message_sent", "session_resumed"]]);
  });

  test("is executed once", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "hi");
    await executeRun(store, new EchoAgent(), runId);
    await expect(executeRun(store, new EchoAgent(), runId)).rejects.toMatchObject({
      code: "invalid_transition",
    });
    expect((await logOf(store, sessionId)).filter(([type]) => type === "run_completed")).toHaveLength(1);
  });

  test("of one agent is not executed by another", async () => {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, "hi", { agent: "other" });
    await expect(executeRun(store, new EchoAgent(), runId)).rejects.toMatchObject({ code: "conflict" });
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ["no input", async () => startRun(store, (await startSession(store)).sessionId, ""), "usage"],
    ["no session", async () => startRun(store, "nowhere", "hi"), "not_found"],
    ["no run", async () => executeRun(store, new EchoAgent(), "nowhere"), "not_found"],
    ["a missing session", async () => runOnce(store, new EchoAgent(), "hi", { sessionId: "x" }), "not_found"],
    [
      "an unknown continuation",
      async () => runOnce(store, new EchoAgent(), "hi", { continuation: "x" as never }),
      "usage",
    ],
    ...[
      { timeoutMs: Number.NaN },
      { timeoutMs: -1 },
      { timeoutMs: "1" as never },
      { graceMs: -1 },
      { leaseMs: 0 },
      { maxParallel: 0 },
      { continuationOpts: { maxChars: 0 } },
      { continuationOpts: { maxMessages: -1 } },
      { continuationOpts: { maxTokensApprox: Number.NaN } },
      { continuationOpts: { limit: 1.5 } },
      { continuationOpts: 7 as never },
      { continuation: "x" as never },
    ].map((options): [string, () => Promise<unknown>, string] => [
      JSON.stringify(options),
      async () => runOnce(store, new EchoAgent(), "hi", options),
      "usage",
    ]),
    ...[
      [null],
      ["text"],
      [{ type: "text" }],
      [{ type: "constructor" }],
      [{ type: "image", mimeType: "image/png" }],
      [{ type: "image", data: "AAAA" }],
      [{ type: "file", mimeType: "text/plain", data: 7 }],
      [{ type: "tool_result", toolCallId: "c", content: null }],
    ].map((input): [string, () => Promise<unknown>, string] => [
      `the input ${JSON.stringify(input)}`,
      async () => runOnce(store, new EchoAgent(), input as never),
      "usage",
    ]),
    [
      "an invalid budget",
      async () => runOnce(store, new EchoAgent(), "hi", { budget: { maxTokens: -1 } }),
      "usage",
    ],
    [
      "a missing blob",
      async () =>
        runOnce(store, new EchoAgent(), [{ type: "image", mimeType: "image/png", blob: "0".repeat(64) }]),
      "not_found",
    ],
  ])("with %s is refused", async (_, act, code) => {
    const before = await store.info();
    await expect(act()).rejects.toMatchObject({ code });
    const after = await store.info();
    // An error in the options or in the input is found before any event is written.
    if (code === "usage") expect(after.events - before.events).toBeLessThanOrEqual(_ === "no input" ? 1 : 0);
  });

  test("passes adapterOpts to the agent unchanged", async () => {
    const agent = new ScriptedAgent();
    const model = { deep: ["x"] };
    await runOnce(store, agent, "hi", { adapterOpts: { model, cwd: "/x" } });
    expect(agent.given[0]?.adapterOpts).toEqual({ model, cwd: "/x" });
    expect(agent.given[0]?.adapterOpts.model).toBe(model);
  });

  test("stores the agent's result, usage and cost for the run and the session", async () => {
    const turn: Script = [
      { usage: { inputTokens: 10, outputTokens: 5 }, costUsd: 0.25 },
      { usage: { inputTokens: 20, outputTokens: 1 }, costUsd: 0.5 },
      { event: { type: "message", content: words("hi"), model: "m-1" } },
      { result: { stopReason: "max_tokens", value: { answer: 42 } } },
    ];
    const agent = new ScriptedAgent({ turns: [turn, turn] });
    const first = await runOnce(store, agent, "a");
    await runOnce(store, agent, "b", { sessionId: first.sessionId });
    const usage = { inputTokens: 30, outputTokens: 6, costUsd: 0.75 };
    expect(first).toMatchObject({ usage, stopReason: "max_tokens", value: { answer: 42 }, text: "hi" });
    expect(first.run).toMatchObject({
      result: { stopReason: "max_tokens", value: { answer: 42 } },
      metadata: { usage },
    });
    expect((await store.getSession(first.sessionId))?.metadata).toEqual({
      usage: { inputTokens: 60, outputTokens: 12, costUsd: 1.5 },
      model: "m-1",
    });
    const transcript = await TranscriptBuilder.fromStore(store, first.sessionId);
    expect(transcript.metadata.usage).toEqual({ inputTokens: 60, outputTokens: 12, costUsd: 1.5 });
  });
});

describe("the output of an agent", () => {
  const EVENTS: readonly AgentEvent[] = [
    { type: "text", delta: "Let me " },
    { type: "text", delta: "look." },
    { type: "tool_call", toolCallId: "c1", toolName: "read", toolInput: {} },
    { type: "tool_call_update", toolCallId: "c1", toolInput: { path: "x" }, status: "running" },
    { type: "tool_result", toolCallId: "c1", content: "found", status: "ok" },
    { type: "tool_call", toolCallId: "c2", toolName: "write" },
    { type: "permission_request", approvalId: "p", title: "write x", readOnly: false, options: [] },
    { type: "permission_decision", approvalId: "p", outcome: "denied", by: "policy", reason: "no" },
    { type: "tool_result", toolCallId: "c2", content: "denied", status: "denied" },
    { type: "plan", entries: ["one"] },
    { type: "mode", mode: "edit", model: "m-2" },
    { type: "title", title: "Looking" },
    { type: "diagnostics", message: "fine" },
    { type: "error", message: "slow", code: "rate" },
    { type: "thinking", delta: "hm", messageId: "m" },
    { type: "text", delta: "Yes", messageId: "m" },
    { type: "message", content: [{ type: "text", text: "Yes." }], messageId: "m", model: "m-2" },
    { type: "turn_completed", stopReason: "stop", usage: { inputTokens: 1, outputTokens: 2 } },
  ];

  test("is stored in order, each item as its event", async () => {
    const sessionId = await runScript(EVENTS.map((event) => ({ event })));
    expect(await saidIn(sessionId)).toEqual([
      ["message_streamed", { delta: "Let me look.", messageId: "said-1", kind: "text" }],
      ["message_received", { content: words("Let me look."), messageId: "said-1" }],
      ["tool_call_started", { toolCallId: "c1", toolName: "read", toolInput: {} }],
      ["tool_call_started", { toolCallId: "c1", toolName: "read", toolInput: { path: "x" } }],
      ["tool_call_updated", { toolCallId: "c1", status: "running" }],
      ["tool_call_completed", { toolCallId: "c1", toolOutput: "found" }],
      ["tool_call_started", { toolCallId: "c2", toolName: "write" }],
      ["approval_requested", { approvalId: "p", title: "write x", readOnly: false, options: [] }],
      ["approval_resolved", { approvalId: "p", outcome: "denied", by: "policy", reason: "no" }],
      ["tool_call_failed", { toolCallId: "c2", error: "denied", status: "denied" }],
      ["plan_updated", { entries: ["one"] }],
      ["mode_changed", { mode: "edit", model: "m-2" }],
      ["session_updated", { title: "Looking" }],
      ["diagnostics_reported", { message: "fine" }],
      ["error_raised", { message: "slow", code: "rate" }],
      ["message_streamed", { delta: "hm", messageId: "m", kind: "thinking" }],
      ["message_streamed", { delta: "Yes", messageId: "m", kind: "text" }],
      [
        "message_received",
        { content: [{ type: "thinking", text: "hm" }, ...words("Yes.")], messageId: "m", model: "m-2" },
      ],
      ["turn_completed", { stopReason: "stop", usage: { inputTokens: 1, outputTokens: 2 } }],
    ]);
    expect(await store.getSession(sessionId)).toMatchObject({ title: "Looking" });
  });

  test("stays complete in the transcript when its parts are pruned", async () => {
    const sessionId = await runScript([
      { think: "first " },
      { stream: ["a".repeat(5_000), "b"] },
      { call: "read", id: "c1", result: "x" },
      { stream: ["the ", "end"], messageId: "m" },
    ]);
    const before = await TranscriptBuilder.fromStore(store, sessionId);
    await store.prune(sessionId, { reason: "old" });
    const after = await TranscriptBuilder.fromStore(store, sessionId);
    const contents = (of: typeof before): unknown =>
      of.messages.map(({ role, content }) => ({ role, content }));
    expect(contents(after)).toEqual(contents(before));
    expect(contents(before)).toEqual([
      { role: "user", content: words("go") },
      {
        role: "assistant",
        content: [
          { type: "thinking", text: "first " },
          ...words(`${"a".repeat(5_000)}b`),
          { type: "tool_call", id: "c1", name: "read", args: {} },
        ],
      },
      expect.objectContaining({ role: "tool" }),
      { role: "assistant", content: words("the end") },
    ]);
  });

  test("comes in parts of at least 4 KB, and in messages of at most 256 KiB, however it is streamed", async () => {
    const said = "0123456789abcdé😀".repeat(40_000);
    const parts = said.match(/.{1,7}/gsu) ?? [];
    const sessionId = await runScript([{ stream: parts }]);
    const events = await eventsOf(store, sessionId);
    const streamed = events.filter(({ type }) => type === "message_streamed");
    const whole = events.filter(({ type }) => type === "message_received");
    const text = ({ data }: (typeof events)[number]): string =>
      (data as { content: { text: string }[] }).content.map((block) => block.text).join("");
    expect(whole.map(text).join("")).toBe(said);
    expect(streamed.map(({ data }) => (data as { delta: string }).delta).join("")).toBe(said);
    expect(streamed.length).toBeLessThan(said.length / 4_096 + whole.length + 5);
    expect(Math.max(...whole.map((event) => text(event).length))).toBeLessThanOrEqual(262_144);
    const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
    expect(
      messages
        .slice(1)
        .flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "?")))
        .join(""),
    ).toBe(said);
  });

  test("is in the log when the agent continues", async () => {
    const seen: (string | undefined)[] = [];
    const newest = async (): Promise<void> => {
      const { events } = await store.read(sessionId, { order: "newest", limit: 1 });
      seen.push(events[0]?.type);
    };
    const agent = new ScriptedAgent({
      turns: [
        [
          { say: "one" },
          { hook: "look" },
          { stream: ["two"] },
          { call: "read", id: "c" },
          { hook: "look" },
          { usage: { inputTokens: 1, outputTokens: 1 } },
          { hook: "look" },
        ],
      ],
      hooks: { look: newest },
    });
    const { sessionId } = await startSession(store);
    await runOnce(store, agent, "go", { sessionId });
    expect(seen).toEqual(["message_received", "tool_call_started", "token_usage_updated"]);
  });

  test("makes messages that are not mixed up with those of other runs, even with the same ids", async () => {
    const agent = new ScriptedAgent({
      turns: ({ input }) => [
        { stream: [`${input}!`], messageId: "m" },
        { call: "read", id: "c", result: input },
      ],
    });
    const { sessionId } = await runOnce(store, agent, "a");
    await runOnce(store, agent, "b", { sessionId });
    const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
    expect(messages.map(({ role, content }) => [role, content[0]])).toEqual(
      ["a", "b"].flatMap((input) => [
        ["user", { type: "text", text: input }],
        ["assistant", { type: "text", text: `${input}!` }],
        ["tool", expect.objectContaining({ content: words(input) })],
      ]),
    );
  });

  test("may be sent without waiting, and is stored completely and in order", async () => {
    const agent: Agent = {
      name: "hasty",
      capabilities: new EchoAgent().capabilities,
      execute: (_, { onEvent }) => {
        for (let n = 0; n < 1_000; n++) void onEvent({ type: "message", content: words(`${n}`) });
        return Promise.resolve({});
      },
    };
    const { sessionId, status } = await runOnce(store, agent, "go");
    expect(status).toBe("completed");
    const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
    expect(messages.slice(1).map(({ content }) => content)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => words(`${n}`)),
    );
  });

  test("reaches followers while it is written", async () => {
    const seen: string[] = [];
    const agent = new ScriptedAgent({
      turns: [[{ stream: ["hello"] }, { hook: "look" }, { say: "bye" }]],
      hooks: {
        look: async () => {
          for await (const event of store.tail(sessionId)) {
            if (event.type !== "message_streamed") continue;
            seen.push((event.data as { delta: string }).delta);
            return;
          }
        },
      },
    });
    const { sessionId } = await startSession(store);
    await runOnce(store, agent, "go", { sessionId });
    expect(seen).toEqual(["hello"]);
  });
});

describe("a run that fails", () => {
  test("keeps its messages, and reports why", async () => {
    const agent = new ScriptedAgent({
      turns: [[{ stream: ["I was "] }, { call: "read", id: "c1" }, { fail: "broken" }]],
    });
    const result = await runOnce(store, agent, "go");
    expect(result).toMatchObject({ status: "failed", error: { code: "agent_failed", message: "broken" } });
    expect(await logOf(store, result.sessionId)).toEqual([
      ["session_created", "system", {}],
      ["run_created", "system", { runId: "id1", input: words("go"), agent: "scripted" }],
      ["run_started", "system", { runId: "id1", owner: "id2" }],
      ["message_sent", "person", { content: words("go") }],
      ["session_resumed", "system", { requested: "false", happened: "new", verifiedBy: "none" }],
      ["message_streamed", "scripted", { delta: "I was ", messageId: "said-1", kind: "text" }],
      ["message_received", "scripted", { content: words("I was "), messageId: "said-1" }],
      ["tool_call_started", "scripted", { toolCallId: "c1", toolName: "read", toolInput: {} }],
      ["run_failed", "system", { runId: "id1", error: { code: "agent_failed", message: "broken" } }],
    ]);
    const { messages, metadata } = await TranscriptBuilder.fromStore(store, result.sessionId);
    expect(metadata.openCalls).toEqual([]);
    expect(messages.at(-1)?.content).toEqual(words("[The run failed: broken]"));
  });

  test("because an agent throws synchronously fails the same way", async () => {
    const agent: Agent = {
      name: "throwing",
      capabilities: new EchoAgent().capabilities,
      execute: () => {
        throw new Error("at once");
      },
    };
    expect(await runOnce(store, agent, "go")).toMatchObject({
      status: "failed",
      error: { message: "at once" },
    });
  });

  test.each<[string, () => unknown, string]>([
    [
      "an object that is nothing",
      () => Object.create(null),
      "a value that cannot be converted to text (object)",
    ],
    [
      "an error without a message",
      () => Object.assign(new Error("x"), { message: Object.create(null) }),
      "a value that cannot be converted to text (object)",
    ],
    ["a symbol", () => Symbol("s"), "Symbol(s)"],
  ])("because an agent throws %s fails too", async (_, thrown, message) => {
    const agent: Agent = {
      name: "odd",
      capabilities: new EchoAgent().capabilities,
      execute: () => Promise.reject(thrown()),
    };
    expect(await runOnce(store, agent, "go")).toMatchObject({
      status: "failed",
      error: { code: "agent_failed", message },
    });
  });
});

test("an agent may send anything: values without a meaning are stored or refused, and none of them stops the run", async () => {
  const refusals: unknown[] = [];
  const agent: Agent = {
    name: "odd",
    capabilities: new EchoAgent().capabilities,
    execute: async (_, { onEvent }) => {
      const odd = [
        { type: "constructor" },
        { type: "toString" },
        null,
        "text",
        { type: "text" },
        { type: "tool_call_update", toolCallId: "nobody's", toolInput: { a: 1 } },
      ];
      for (const event of odd) {
        await onEvent(event as never).catch((error: unknown) => refusals.push(error));
      }
      return {};
    },
  };
  const { sessionId, status } = await runOnce(store, agent, "go");
  expect([status, refusals.length]).toEqual(["completed", 3]);
  expect(await saidIn(sessionId)).toEqual([
    ["diagnostics_reported", { details: { type: "constructor" } }],
    ["diagnostics_reported", { details: { type: "toString" } }],
    ["tool_call_updated", { toolCallId: "nobody's", toolInput: { a: 1 } }],
  ]);
});

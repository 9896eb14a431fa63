/** Evaluation by replay: the inputs of a log, imported or not, with their old and new answers. */

import { setTimeout as pause } from "node:timers/promises";
import type { Agent, NewEvent } from "@continuo/core/model";
import { type AgentDefinition, type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { startRun } from "@continuo/store/sessions";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  EchoAgent,
  ScriptedModel,
  type ScriptedModelOptions,
} from "../../packages/store/src/testing/index.ts";
import { withCalls } from "../intercepted.ts";

let failures = 0;
/** An agent that fails the given number of times, and then answers. */
const unsteady: Agent = {
  name: "unsteady",
  async execute(_, { onEvent }) {
    const failing = failures-- > 0;
    await onEvent({ type: "message", content: [{ type: "text", text: failing ? "I try" : "It is done" }] });
    if (failing) throw new Error("the connection is gone");
    return {};
  },
};

let c: Continuo;
beforeEach(async () => {
  failures = 0;
  c = await openContinuo("memory:", { agents: [new EchoAgent(), unsteady], pollMs: 20 });
});
afterEach(() => c.close({ graceMs: 0 }));

test("a replay gives each input to another agent after the same conversation, and does not change the session", async () => {
  const session = c.session("s", { create: true });
  for (const text of ["one", "two"]) await session.send(text).result();
  const before = await c.store.latestSequence("s");
  const loud: Agent = {
    name: "loud",
    async execute({ input, transcript }, { onEvent }) {
      const [block] = input;
      const text = block?.type === "text" ? block.text.toUpperCase() : "";
      await onEvent({
        type: "message",
        content: [{ type: "text", text: `${text} ${transcript?.messages.length ?? 0}` }],
      });
      return { value: text.length };
    },
  };
  const runs = await c.replay("s", { agent: loud });
  expect(
    runs.map(({ input, before, after }) => [input, before.text, after.text, after.status, after.value]),
  ).toEqual([
    ["one", "one", "ONE 0", "completed", 3],
    ["two", "two", "TWO 2", "completed", 3],
  ]);
  expect(await c.store.latestSequence("s")).toBe(before);
  expect((await c.store.listSessions({})).items.map(({ sessionId }) => sessionId)).toEqual(["s"]);
});

test("a replay reports that an answer ended at the agent's limit of steps, and keeps its value", async () => {
  await c.session("s", { create: true }).send("one", { agent: "echo" }).result();
  const limited: Agent = {
    name: "limited",
    async execute(_, { onEvent }) {
      await onEvent({ type: "message", content: [{ type: "text", text: "a part" }] });
      return { stopReason: "max_steps", value: { found: 1 } };
    },
  };
  const [replayed] = await c.replay("s", { agent: limited });
  expect(replayed?.after).toMatchObject({ text: "a part", status: "max_steps", value: { found: 1 } });
});

const counting: Agent = {
  name: "counting",
  async execute({ transcript }, { onEvent }) {
    const earlier = transcript?.messages.length ?? 0;
    await onEvent({ type: "message", content: [{ type: "text", text: `after ${earlier}` }] });
    return {};
  },
};

/**
 * A log like an import: without runs, with a person's message, an injected text, a call with its result, and a last
 * answer.
 */
const IMPORTED: readonly NewEvent[] = [
  { type: "message_sent", actor: { kind: "system" }, data: { content: "Today is Friday.", role: "user" } },
  { type: "message_sent", actor: { kind: "person" }, data: { content: "Where is my parcel?", role: "user" } },
  {
    type: "message_received",
    actor: { kind: "agent" },
    data: { content: "I look.", messageId: "m1", usage: { inputTokens: 10, outputTokens: 1 } },
  },
  {
    type: "tool_call_started",
    actor: { kind: "agent" },
    data: { toolCallId: "t1", toolName: "track", toolInput: {}, messageId: "m1" },
  },
  { type: "tool_call_completed", data: { toolCallId: "t1", toolName: "track", toolOutput: "In Bern" } },
  {
    type: "message_received",
    actor: { kind: "agent" },
    data: { content: "It is in Bern.", messageId: "m2", usage: { inputTokens: 20, outputTokens: 2 } },
  },
  { type: "message_sent", actor: { kind: "person" }, data: { content: "Thank you.", role: "user" } },
];

test("a log without authors is replayed with all its messages to the agent", async () => {
  await c.store.createSession({ sessionId: "plain" });
  const said = (content: string): NewEvent => ({ type: "message_sent", data: { content } });
  const answered = (content: string): NewEvent => ({ type: "message_received", data: { content } });
  await c.store.append("plain", [said("one"), answered("1"), said("two"), answered("2")]);
  await c.session("plain").send("three", { agent: "echo" }).result();
  const runs = await c.replay("plain", { agent: counting });
  expect(runs.map(({ input, before, after }) => [input, before.text, after.text])).toEqual([
    ["one", "1", "after 0"],
    ["two", "2", "after 2"],
    ["three", "three", "after 4"],
  ]);
});

test("an imported log is replayed too, with the runs that came after it", async () => {
  await c.store.createSession({ sessionId: "imported" });
  const session = c.session("imported");
  await c.store.append("imported", IMPORTED);
  await session.send("And tomorrow?", { agent: "echo" }).result();
  const runs = await c.replay("imported", { agent: counting });
  expect(
    runs.map(({ runId, input, before, after }) => [typeof runId, input, before.text, after.text]),
  ).toEqual([
    ["object", "Where is my parcel?", "It is in Bern.", "after 1"],
    ["object", "Thank you.", "", "after 5"],
    ["string", "And tomorrow?", "And tomorrow?", "after 6"],
  ]);
  expect(runs[0]?.before).toMatchObject({ tools: ["track"], usage: { inputTokens: 30, outputTokens: 3 } });
});

test("an input that was tried again counts once, with the last answer", async () => {
  failures = 1;
  const session = c.session("retried", { create: true });
  const first = await session.send("Do it", { agent: "unsteady" }).result();
  expect(first.status).toBe("failed");
  const again = await startRun(c.store, "retried", "Do it", { agent: "unsteady", retryOf: first.runId });
  await session.run(again.runId).result();
  const runs = await c.replay("retried", { agent: counting });
  expect(runs.map(({ runId, before, after }) => [runId, before.text, after.text])).toEqual([
    [first.runId, "It is done", "after 0"],
  ]);
});

test("a failed attempt does not count: neither its text, nor its calls, nor its tokens", async () => {
  await c.store.createSession({ sessionId: "attempts" });
  const run = (runId: string, ...events: readonly NewEvent[]): NewEvent[] =>
    events.map((event) => ({ runId, ...event }));
  const created = (runId: string, metadata: object = {}): NewEvent => ({
    type: "run_created",
    data: { runId, input: "Where is my parcel?", metadata },
  });
  const call = { toolCallId: "t1", toolName: "track", toolInput: {} };
  await c.store.append("attempts", [
    ...run("first", created("first"), { type: "tool_call_started", data: call }),
    ...run("first", {
      type: "run_failed",
      data: { runId: "first", usage: { inputTokens: 900, outputTokens: 9 } },
    }),
    ...run("again", created("again", { retryOf: "first" })),
    ...run("again", { type: "message_received", data: { content: "It is in Bern." } }),
    ...run("again", { type: "message_received", data: { content: [] } }),
    ...run("again", {
      type: "run_completed",
      data: { runId: "again", usage: { inputTokens: 20, outputTokens: 2 } },
    }),
  ]);
  const [replayed, ...others] = await c.replay("attempts", { agent: counting });
  expect(others).toEqual([]);
  expect(replayed?.before).toEqual({
    text: "It is in Bern.",
    tools: [],
    usage: { inputTokens: 20, outputTokens: 2 },
  });
});

test("a reminder to the agent between the messages of people does not count as an input", async () => {
  await c.store.createSession({ sessionId: "told" });
  const told: NewEvent = {
    type: "message_sent",
    actor: { kind: "system" },
    data: { content: "The parcel has arrived.", role: "user" },
  };
  await c.store.append("told", [...IMPORTED, told]);
  const runs = await c.replay("told", { agent: counting });
  expect(runs.map(({ input }) => input)).toEqual(["Where is my parcel?", "Thank you."]);
});

test("a replay asks no person: the agent's request is denied, and the agent is closed after each input", async () => {
  const session = c.session("asked", { create: true });
  for (const text of ["one", "two"]) await session.send(text, { agent: "echo" }).result();
  const outcomes: string[] = [];
  let closed = 0;
  const asking: AgentDefinition = {
    name: "asking",
    async open({ onPermission }) {
      return {
        name: "asking",
        async execute(_, { signal }) {
          const request = {
            approvalId: "a",
            toolName: "Bash",
            toolInput: { command: "rm -r ." },
            readOnly: false,
            options: [],
          };
          const { outcome } = await onPermission(request, { signal: signal ?? new AbortController().signal });
          outcomes.push(outcome);
          return {};
        },
        async [Symbol.asyncDispose]() {
          closed += 1;
        },
      };
    },
  };
  await c.replay("asked", { agent: asking });
  expect([outcomes, closed]).toEqual([["denied", "denied"], 2]);
});

test("a fork is replayed with the inputs from its source", async () => {
  const session = c.session("source", { create: true });
  await session.send("one", { agent: "echo" }).result();
  const { sessionId } = await c.store.createSession({ forkedFrom: { logId: "source" } });
  await c.session(sessionId).send("two", { agent: "echo" }).result();
  const runs = await c.replay(sessionId, { agent: counting });
  expect(runs.map(({ input, after }) => [input, after.text])).toEqual([
    ["one", "after 0"],
    ["two", "after 2"],
  ]);
});

test("an aborted replay ends before the next input, and leaves no session", async () => {
  const session = c.session("aborted", { create: true });
  for (const text of ["one", "two"]) await session.send(text, { agent: "echo" }).result();
  const aborting = new AbortController();
  const stopping: Agent = {
    name: "stopping",
    async execute() {
      aborting.abort();
      return {};
    },
  };
  await expect(c.replay("aborted", { agent: stopping, signal: aborting.signal })).rejects.toThrow();
  expect((await c.store.listSessions({})).items.map(({ sessionId }) => sessionId)).toEqual(["aborted"]);
});

test("only the inputs of chosen runs are replayed, by the id of any attempt, and an unknown run is refused", async () => {
  failures = 1;
  const session = c.session("chosen", { create: true });
  await session.send("one", { agent: "echo" }).result();
  const failed = await session.send("Do it", { agent: "unsteady" }).result();
  const again = await startRun(c.store, "chosen", "Do it", { agent: "unsteady", retryOf: failed.runId });
  await session.run(again.runId).result();
  const runs = await c.replay("chosen", { agent: counting, runs: [again.runId] });
  expect(runs.map(({ runId, input, after }) => [runId, input, after.text])).toEqual([
    [failed.runId, "Do it", "after 2"],
  ]);
  expect(await c.replay("chosen", { agent: counting, runs: [] })).toEqual([]);
  await expect(c.replay("chosen", { agent: counting, runs: ["other"] })).rejects.toMatchObject({
    code: "not_found",
    hint: expect.any(String),
    details: { runId: "other" },
  });
});

test("a replay of more inputs than it can hold is refused before an agent is called, and chosen ones are replayed", async () => {
  await c.store.createSession({ sessionId: "long" });
  const created = (n: number): NewEvent => ({
    type: "run_created",
    data: { runId: `r${n}`, input: `question ${n}` },
    runId: `r${n}`,
  });
  await c.store.append(
    "long",
    Array.from({ length: 1_001 }, (_, n) => created(n)),
  );
  await expect(c.replay("long", { agent: counting })).rejects.toMatchObject({ code: "too_large" });
  const [last] = await c.replay("long", { agent: counting, runs: ["r1000"] });
  expect(last?.input).toBe("question 1000");
});

/** A desk whose tools write to `outside`; its model follows the script. */
function deskOf(turns: ScriptedModelOptions["turns"], outside: string[]): AgentDefinition {
  const inputSchema = jsonSchema<{ order: string }>({
    type: "object",
    properties: { order: { type: "string" } },
  });
  let at = 0;
  const run =
    (name: string) =>
    async ({ order }: { readonly order: string }) => {
      at++;
      outside.push(`${name} ${order}`);
      if (order === "0") throw new Error("there is no order 0");
      return { [name]: order, at };
    };
  return defineAgent({
    name: "desk",
    model: new ScriptedModel({ modelId: "gpt-5.5", turns }),
    tools: {
      refund: tool({ inputSchema, needsApproval: true, execute: run("refund") }),
      track: tool({
        inputSchema,
        onInputAvailable: ({ input }) => void outside.push(`sees ${input.order}`),
        execute: run("track"),
      }),
    },
  });
}

const called = (name: string, order: string) => ({ call: name, input: { order } });

test("with recorded answers no tool runs, equal calls have their answers in order, and nobody is asked", async () => {
  const outside: string[] = [];
  await c.close({ graceMs: 0 });
  const calls = [called("track", "7"), called("track", "0"), called("refund", "7")];
  const desk = deskOf([calls, [called("track", "7")], [{ say: "Done." }]], outside);
  c = await openContinuo("memory:", { agents: [desk], pollMs: 20 });
  const sent = c.session("s", { create: true }).send("Please refund it");
  for await (const event of sent) {
    if (event.type !== "approval_requested") continue;
    await c.approvals.resolve(event.data.approvalId, { outcome: "granted", by: "ann" });
  }
  const done = outside.splice(0);
  expect(done.filter((line) => !line.startsWith("sees"))).toHaveLength(4);

  const seen: unknown[] = [];
  const results = (asked: { readonly options: { readonly prompt: readonly { content: unknown }[] } }) =>
    asked.options.prompt
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter((part) => part.type === "tool-result")
      .map((part) => [part.toolName, part.output.value]);
  const turns = [
    [called("track", "7"), called("track", "0"), called("refund", "7"), called("refund", "9")],
    [called("track", "7")],
    [called("track", "7")],
    [{ say: "Refunded." }],
  ];
  const candidate = deskOf((asked) => {
    seen.push(results(asked));
    return turns[seen.length - 1] ?? [{ say: "?" }];
  }, outside);
  const [replayed, ...others] = await c.replay("s", { agent: candidate, tools: "recorded" });
  expect(others).toEqual([]);
  expect(outside).toEqual([]);
  expect(replayed).toMatchObject({
    before: { text: "Done.", tools: ["track", "track", "refund", "track"] },
    after: { text: "Refunded.", status: "completed", unrecorded: ["refund"] },
  });
  const first = { track: "7", at: 1 };
  const second = { track: "7", at: 4 };
  expect(seen.at(-1)).toEqual([
    ["track", first],
    ["track", "Error: there is no order 0"],
    ["refund", { refund: "7", at: 3 }],
    ["refund", "Error: This call has no recorded answer."],
    ["track", second],
    ["track", second],
  ]);
  expect(await c.approvals.list({ status: "open" })).toEqual([]);
  expect((await c.store.listSessions({})).items.map(({ sessionId }) => sessionId)).toEqual(["s"]);
});

test("an imported input is replayed with the answers that its tools had before the next input", async () => {
  await c.store.createSession({ sessionId: "imported" });
  const later: readonly NewEvent[] = [
    { type: "tool_call_started", data: { toolCallId: "t2", toolName: "track", toolInput: {} } },
    {
      type: "tool_call_completed",
      data: { toolCallId: "t2", toolOutput: [{ type: "text", text: "In Ulm" }] },
    },
  ];
  await c.store.append("imported", [...IMPORTED, ...later]);
  const asking: AgentDefinition = {
    name: "asking",
    answersCalls: true,
    open: async ({ answerCall }) => ({
      name: "asking",
      async execute(_, { onEvent }) {
        const places = [0, 1].map(() => answerCall?.({ toolName: "track", toolInput: {} }));
        const text = (await Promise.all(places)).join(", ");
        await onEvent({ type: "message", content: [{ type: "text", text }] });
        return {};
      },
    }),
  };
  const runs = await c.replay("imported", { agent: asking, tools: "recorded" });
  expect(runs.map(({ input, after }) => [input, after.text, after.unrecorded])).toEqual([
    ["Where is my parcel?", "In Bern, In Bern", []],
    ["Thank you.", "In Ulm, In Ulm", []],
  ]);
});

test("recorded answers are refused for an agent that runs its tools by itself, also at the provider of its model", async () => {
  await c.session("s", { create: true }).send("one", { agent: "echo" }).result();
  let asked = 0;
  const model = new ScriptedModel({
    modelId: "gpt-5.5",
    turns: () => [{ say: `${++asked}` }],
  });
  const inputSchema = jsonSchema({ type: "object" });
  const search = {
    type: "provider",
    id: "x.search",
    args: {},
    isProviderExecuted: true,
    inputSchema,
  } as never;
  const searching = defineAgent({ name: "searching", model, tools: { search } });
  for (const agent of [counting, searching]) {
    await expect(c.replay("s", { agent, tools: "recorded" })).rejects.toMatchObject({
      code: "unsupported",
      hint: expect.any(String),
    });
  }
  expect(asked).toBe(0);
  expect((await c.store.listSessions({})).items.map(({ sessionId }) => sessionId)).toEqual(["s"]);
  await expect(c.replay("s", { agent: counting, tools: "none" as never })).rejects.toMatchObject({
    code: "usage",
  });
});

test("no worker takes an input of a replay, although its agent has the same name as the one that is replayed", async () => {
  const inner = c.store;
  await c.session("s", { create: true }).send("one", { agent: "echo" }).result();
  const asked: string[] = [];
  const named = (name: string, text: string): Agent => ({
    name,
    async execute(_, { onEvent }) {
      asked.push(text);
      await onEvent({ type: "message", content: [{ type: "text", text }] });
      return {};
    },
  });
  // A worker has time to look for work before the replay executes its run.
  const slow = withCalls(inner, async ({ method, args, proceed }) => {
    const result = await proceed();
    if (method === "append" && JSON.stringify(args).includes("new_run")) await pause(100);
    return result;
  });
  await using program = await openContinuo(slow, { agents: [named("desk", "worker")], pollMs: 10 });
  const [replayed] = await program.replay("s", { agent: named("desk", "candidate"), keep: true });
  expect([replayed?.after.text, asked]).toEqual(["candidate", ["candidate"]]);
});

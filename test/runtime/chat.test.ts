/**
 * A session as a chat of the AI SDK: the fold of the log equals the messages that the SDK's own reader makes of the
 * streams.
 */

import { type Agent, type AgentEvent, type KnownEvent, textOf } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type Continuo, type ContinuoOptions, openContinuo } from "@continuo/server/runtime";
import { wake } from "@continuo/store/sessions";
import {
  parseJsonEventStream,
  readUIMessageStream,
  safeValidateUIMessages,
  type UIMessage,
  uiMessageChunkSchema,
} from "ai";
import { afterEach, expect, test } from "vitest";
import { EchoAgent, type Script, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { everyReader } from "./harness/followed-chat.ts";

let c: Continuo;
afterEach(async () => {
  const isOpen = await c.store.getSession("s").then(
    () => true,
    () => false,
  );
  // A page that comes at any moment of these chats, and follows them, has what the log has.
  for (const retried of isOpen ? ([[], ["interrupted", "failed"]] as const) : []) {
    for await (const { followed, read } of everyReader(c.store, "s", retried)) expect(followed).toEqual(read);
  }
  await c.close();
});

async function scripted(turns: readonly Script[], options: ContinuoOptions = {}): Promise<void> {
  c = await openContinuo("memory:", { agents: [new ScriptedAgent({ turns })], pollMs: 10, ...options });
}

/** Returns the message that the SDK's own reader makes of a response, without undefined fields. */
async function read(response: Response | null): Promise<UIMessage | undefined> {
  if (response?.body == null) throw new Error("there is no stream");
  const chunks = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema });
  const stream = chunks.pipeThrough(
    new TransformStream({
      transform: (chunk, controller) => {
        if (!chunk.success) throw chunk.error;
        if (chunk.value.type !== "error") controller.enqueue(chunk.value);
      },
    }),
  );
  const last = (await Array.fromAsync(readUIMessageStream({ stream }))).at(-1);
  return last === undefined ? undefined : JSON.parse(JSON.stringify(last));
}

const FILE: AgentEvent = {
  type: "message",
  content: [
    { type: "text", text: "The label:" },
    { type: "image", mimeType: "image/png", data: "aGk=" },
  ],
};

test.each<[string, Script]>([
  ["words in parts", [{ stream: ["It ", "rains."], messageId: "m1" }]],
  ["a whole message with an image", [{ event: FILE }]],
  ["thoughts, and an answer", [{ think: "Which town?" }, { stream: ["Ulm."], messageId: "m1" }]],
  [
    "calls between messages",
    [
      { stream: ["I look."], messageId: "m1" },
      { call: "weather", id: "c1", input: { town: "Ulm" }, result: "rain" },
      { call: "wind", id: "c2", result: "no sensor", status: "error" },
      { stream: ["Rain."], messageId: "m2" },
    ],
  ],
  ["a call before any text", [{ call: "weather", id: "c1", result: "rain" }, { say: "Rain." }]],
  ["a call that was denied", [{ call: "refund", id: "c1", result: "no", status: "denied" }]],
  ["half an answer of a run that fails", [{ stream: ["It "], messageId: "m1" }, { fail: "no power" }]],
  ["nothing", []],
])("%s: the messages of the log are those of the stream", async (_, script) => {
  await scripted([script]);
  const session = c.session("s", { create: true });
  const run = session.send("How is the weather?", { id: "q1" });
  const answer = await read(run.toUIMessageResponse());
  const { messages, open } = await session.chat();
  expect(open).toEqual([]);
  expect(messages).toEqual([
    { id: "q1", role: "user", parts: [{ type: "text", text: "How is the weather?" }] },
    answer,
  ]);
  expect(answer?.id).toBe((await run).runId);
  expect(await session.toUIMessageResponse()).toBeNull();
});

test("a person's approval is part of the answer, also for the reader of the stream", async () => {
  const call = { toolCallId: "c1", toolName: "refund", toolInput: { euros: 20 } };
  const asking: Agent = {
    name: "asking",
    execute: async ({ run }, { onEvent, onPermission, signal }) => {
      await onEvent({ type: "tool_call", ...call });
      const request = { ...call, approvalId: run.runId, readOnly: false, options: [] };
      await onEvent({ type: "permission_request", ...request });
      const decision = (await onPermission?.(request, { signal })) ?? { outcome: "denied", by: "policy" };
      await onEvent({ type: "permission_decision", approvalId: run.runId, ...decision });
      await onEvent({ type: "tool_result", toolCallId: "c1", content: "paid", status: "ok" });
      return {};
    },
  };
  c = await openContinuo("memory:", { agents: [asking], pollMs: 10 });
  const session = c.session("s", { create: true });
  const reading = read(session.send("Pay me back.", { id: "q1" }).toUIMessageResponse());
  await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(1);
  const waiting = async () => (await session.chat()).messages.at(-1)?.parts.at(-1);
  await expect.poll(waiting).toMatchObject({ type: "tool-refund", state: "approval-requested" });
  const [approval] = await c.approvals.list({ status: "open" });
  await c.approvals.resolve(approval?.id ?? "", { outcome: "granted", reason: "a regular customer" });
  const answer = await reading;
  expect(answer?.parts.at(-1)).toMatchObject({
    state: "output-available",
    approval: { approved: true, reason: "a regular customer" },
  });
  expect((await session.chat()).messages.at(-1)).toEqual(answer);
});

/** The attempt of a killed process, and the next attempt of another process. */
async function twoAttempts(first: readonly object[], second: Script): Promise<readonly KnownEvent["type"][]> {
  await scripted([second], { recover: "retry", work: false });
  const session = c.session("s", { create: true });
  const { runId } = await session.send("go", { id: "q1" });
  const events = [{ type: "run_started", data: { runId } }, ...first] as { type: string; data: unknown }[];
  await c.store.append(
    "s",
    events.map((event) => ({ ...event, runId })),
    { also: [{ type: "run", runId, to: "running" }] },
  );
  const stop = new AbortController();
  const working = c.work({ signal: stop.signal });
  await session.run("q1").result();
  stop.abort();
  await working;
  return (await Array.fromAsync(c.session("s").run("q1"))).map(({ type }) => type);
}

function part(delta: string): object {
  return { type: "message_streamed", data: { delta, messageId: "said-1", kind: "text" } };
}

test("the incomplete text of a killed attempt is replaced by the next attempt, in the stream and in the log", async () => {
  const types = await twoAttempts([part("It is on"), part(" its w")], [{ stream: ["It is ", "there."] }]);
  expect(types.filter((type) => type === "run_interrupted")).toHaveLength(1);
  const { messages } = await c.session("s").chat();
  expect(messages.at(-1)?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "It is there.", state: "done" },
  ]);
  expect(await read(c.session("s").run("q1").toUIMessageResponse())).toEqual(messages.at(-1));
});

test("a call of a killed attempt stays", async () => {
  const call = { type: "tool_call_started", data: { toolCallId: "c1", toolName: "look", toolInput: {} } };
  const result = { type: "tool_call_completed", data: { toolCallId: "c1", toolOutput: "a parcel" } };
  await twoAttempts([call, result, part("It is on")], [{ say: "It is there." }]);
  const { messages } = await c.session("s").chat();
  expect(messages.at(-1)?.parts).toMatchObject([
    { type: "step-start" },
    { type: "tool-look", output: "a parcel", state: "output-available" },
    { type: "step-start" },
    { type: "text", text: "It is there." },
  ]);
  expect(await read(c.session("s").run("q1").toUIMessageResponse())).toEqual(messages.at(-1));
});

test("a call of an attempt that was killed, which the next attempt makes again, is over at the end of the answer", async () => {
  const call = (toolCallId: string) => ({ toolCallId, toolName: "refund", toolInput: { euros: 20 } });
  const request = { ...call("c1"), approvalId: "a1", readOnly: false, options: [] };
  await twoAttempts(
    [
      { type: "tool_call_started", data: call("c1") },
      { type: "approval_requested", data: request },
      { type: "approval_resolved", data: { approvalId: "a1", outcome: "granted", by: "staff" } },
    ],
    [{ call: "refund", id: "c2", input: { euros: 20 }, result: "paid" }, { say: "You get it back." }],
  );
  const { messages } = await c.session("s").chat();
  const calls = messages.at(-1)?.parts.filter(({ type }) => type === "tool-refund");
  expect(calls).toMatchObject([
    { toolCallId: "c1", state: "output-error", errorText: "The tool refund was interrupted." },
    { toolCallId: "c2", state: "output-available", output: "paid" },
  ]);
  expect(messages.at(-1)).not.toHaveProperty("metadata");
  expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
  expect(await read(c.session("s").run("q1").toUIMessageResponse())).toEqual(messages.at(-1));
});

test("an answer that is not complete says how it ended, and none of its questions is open", async () => {
  const call = { toolCallId: "c1", toolName: "refund", toolInput: { euros: 20 } };
  const request = { ...call, approvalId: "a1", readOnly: false, options: [] };
  const asks: Script = [
    { event: { type: "tool_call", ...call } },
    { event: { type: "permission_request", ...request } },
  ];
  await scripted([
    [...asks, { wait: "abort" }],
    [{ stream: ["It "], messageId: "m1" }, { fail: "no power" }],
  ]);
  const session = c.session("s", { create: true });
  await session.send("Pay me back.", { id: "q1" });
  const lastPart = async () => (await session.chat()).messages.at(-1)?.parts.at(-1);
  await expect.poll(lastPart).toMatchObject({ state: "approval-requested" });
  expect((await session.chat()).messages.at(-1)).not.toHaveProperty("metadata");
  await session.stop();
  await expect.poll(lastPart).toMatchObject({
    state: "output-error",
    errorText: "The tool refund was cancelled.",
  });
  await session.send("How is the weather?", { id: "q2" }).result();
  const { messages, open } = await session.chat();
  expect(messages.map(({ metadata }) => metadata)).toEqual([
    ...[undefined, { status: "cancelled" }],
    ...[undefined, { status: "failed", errorText: "The answer failed (agent_failed)." }],
  ]);
  expect(open).toEqual([]);
  const page = await session.toHtml({ view: "chat" });
  expect(page).toContain("The answer was stopped.");
  expect(page).toContain("The answer failed (agent_failed).");
});

test("an answer that a person gave while no process ran stays, although the next attempt asks again", async () => {
  const call = { toolCallId: "c1", toolName: "refund", toolInput: { euros: 20 } };
  const request = { ...call, approvalId: "a1", readOnly: false, options: [] };
  await twoAttempts(
    [
      { type: "tool_call_started", data: call },
      { type: "approval_requested", data: request },
      { type: "approval_resolved", data: { approvalId: "a1", outcome: "granted", by: "staff" } },
    ],
    [
      { event: { type: "permission_request", ...request } },
      { event: { type: "tool_result", toolCallId: "c1", content: "paid", status: "ok" } },
      { say: "You get it back." },
    ],
  );
  const { messages } = await c.session("s").chat();
  const refund = messages.at(-1)?.parts.find(({ type }) => type === "tool-refund");
  expect(refund).toMatchObject({ state: "output-available", approval: { id: "a1", approved: true } });
  expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
  expect(await read(c.session("s").run("q1").toUIMessageResponse())).toEqual(messages.at(-1));
});

test("a stop ends all incomplete answers, and keeps their text", async () => {
  await scripted([[{ stream: ["I begin"], messageId: "m1" }, { wait: "abort" }]]);
  const session = c.session("s", { create: true });
  const first = session.send("Tell me a story.", { id: "q1" });
  const { runId } = await first;
  const second = await session.send("And another one.", { id: "q2" });
  await expect.poll(async () => JSON.stringify((await session.chat()).messages)).toContain("I begin");
  expect((await session.chat()).open).toEqual([runId, second.runId]);
  const reading = read(first.toUIMessageResponse());
  expect(await session.stop({ reason: "enough" })).toEqual([runId, second.runId]);
  const answer = await reading;
  expect(answer?.parts).toMatchObject([{ type: "step-start" }, { text: "I begin", state: "done" }]);
  expect(await session.run("q1").result()).toMatchObject({ status: "cancelled", reason: "enough" });
  expect(await session.run("q2").result()).toMatchObject({ status: "cancelled" });
  const { messages, open } = await session.chat();
  expect(open).toEqual([]);
  expect(messages.map(({ id }) => id)).toEqual(["q1", runId, "q2", second.runId]);
  expect(messages[1]).toEqual(answer);
  expect(await session.stop()).toEqual([]);
});

test("a reader who names answers gets them whole, including those that have ended", async () => {
  await scripted([[{ stream: ["one"] }, { wait: "abort" }], [{ stream: ["two"] }]]);
  const session = c.session("s", { create: true });
  await session.send("first", { id: "q1" });
  await session.send("second", { id: "q2" });
  const { open } = await session.chat();
  expect(open).toHaveLength(2);
  await expect.poll(async () => JSON.stringify((await session.chat()).messages)).toContain("one");
  await session.stop({ open: open.slice(0, 1) });
  await session.run("q2").result();
  expect(await session.toUIMessageResponse()).toBeNull();
  const text = await (await session.toUIMessageResponse({ open }))?.text();
  const starts = text?.match(/"type":"start","messageId":"\w+"/gu);
  expect(starts).toEqual(open.map((id) => `"type":"start","messageId":"${id}"`));
  await expect(session.toUIMessageResponse({ open: ["none"] })).rejects.toMatchObject({ code: "not_found" });
});

test("an answer that failed does not hide the next one", async () => {
  await scripted([
    [{ stream: ["one"] }, { fail: "no power" }],
    [{ stream: ["two"] }, { fail: "no power" }],
  ]);
  const session = c.session("s", { create: true });
  const runs = [await session.send("first", { id: "q1" }), await session.send("second", { id: "q2" })];
  await session.run("q2").result();
  const text = await (await session.toUIMessageResponse({ open: runs.map(({ runId }) => runId) }))?.text();
  expect(text?.match(/"type":"(?:start|error)"/gu)).toEqual([
    '"type":"start"',
    '"type":"start"',
    '"type":"error"',
  ]);
});

test("a stream that the server ends early does not mark the answer as complete", async () => {
  await scripted([[{ stream: ["I begin"], messageId: "m1" }, { wait: "abort" }]]);
  const handler = c.handler({ authorize: () => ({ sessions: "*", access: "write", by: "ann" }) });
  const body = JSON.stringify({
    messages: [{ id: "q1", role: "user", parts: [{ type: "text", text: "go" }] }],
  });
  const headers = { "content-type": "application/json" };
  const response = await handler(
    new Request("http://desk.example/v1/sessions/s/chat", { method: "POST", headers, body }),
  );
  await expect.poll(async () => JSON.stringify((await c.session("s").chat()).messages)).toContain("I begin");
  const reading = response.text().catch(() => "cut");
  await c.close({ graceMs: 0 });
  expect(await reading).not.toMatch(/DONE|"finish"|"error"/u);
});

test("messages that a program appends belong to the chat", async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  const session = c.session("s", { create: true });
  await session.append("message_sent", { content: "You are polite.", role: "system", messageId: "m0" });
  await session.append("message_received", {
    content: [{ type: "text", text: "Good morning." }],
    messageId: "m1",
  });
  await session.send("hello", { id: "q1" }).result();
  const { messages } = await session.chat();
  expect(messages.map(({ id, role }) => [id, role]).slice(0, 3)).toEqual([
    ["m0", "system"],
    ["m1", "assistant"],
    ["q1", "user"],
  ]);
});

test("the questions of a chat are the inputs of the transcript, including unanswered ones", async () => {
  await scripted(
    [[{ stream: ["It rains."] }, { wait: "abort" }], [{ fail: "no power" }], [{ say: "Ulm." }]],
    {
      work: false,
      retry: { on: ["failed"], attempts: 1 },
    },
  );
  const session = c.session("s", { create: true });
  const killed = await session.send("killed before it began", { id: "q0" });
  await wake(c.store, "s", { leaseMs: 1 });
  expect(await c.store.getRun(killed.runId)).toMatchObject({ status: "interrupted" });
  for (const [id, text] of [
    ["q1", "stopped in its answer"],
    ["q2", "stopped while it waits"],
    ["q3", "a dead letter"],
    ["q4", "answered"],
  ] as const)
    await session.send(text, { id });
  await session.run("q2").cancel("not needed");
  const stop = new AbortController();
  const working = c.work({ signal: stop.signal });
  await expect.poll(async () => JSON.stringify((await session.chat()).messages)).toContain("It rains.");
  await session.run("q1").cancel("enough");
  await session.run("q4").result();
  stop.abort();
  await working;
  const { messages } = await TranscriptBuilder.fromStore(c.store, "s");
  const inputs = messages.filter(({ role, metadata }) => role === "user" && metadata.note === undefined);
  expect(inputs.map(({ content, metadata }) => [textOf(content), metadata.unanswered])).toEqual([
    ["killed before it began", "interrupted"],
    ["stopped while it waits", "cancelled"],
    ["stopped in its answer", undefined],
    ["a dead letter", "failed"],
    ["answered", undefined],
  ]);
  const questions = (await session.chat()).messages.filter(({ role }) => role === "user");
  expect(
    questions.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")).join("")),
  ).toEqual(expect.arrayContaining(inputs.map(({ content }) => textOf(content))));
  expect(questions).toHaveLength(inputs.length);
});

test.each([
  ["no worker is free", { parallel: 1, earlier: "other" }],
  ["an earlier answer of its session is not complete", { parallel: 2, earlier: "s" }],
])("an answer waits while %s, and is open when its run begins", async (_, { parallel, earlier }) => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const agent: Agent = {
    name: "desk",
    async execute(request) {
      await gates[textOf(request.input) === "first" ? 0 : 1]?.promise;
      return {};
    },
  };
  c = await openContinuo("memory:", { agents: [agent], parallel, pollMs: 10 });
  const first = await c.session(earlier, { create: true }).send("first");
  await expect.poll(async () => (await c.store.getRun(first.runId))?.status).toBe("running");
  const second = c.session("s", { create: true }).send("second");
  const run = await second;
  const chat = async () => await c.session("s").chat();
  const earlierOpen = earlier === "s" ? [first.runId] : [];
  expect(await chat()).toMatchObject({ open: [...earlierOpen, run.runId], waiting: [run.runId] });
  gates[0]?.resolve();
  await expect.poll(async () => (await c.store.getRun(run.runId))?.status).toBe("running");
  expect(await chat()).toMatchObject({ open: [run.runId] });
  expect((await chat()).waiting).toBeUndefined();
  gates[1]?.resolve();
  await second.result();
  expect(await chat()).toMatchObject({ open: [] });
});

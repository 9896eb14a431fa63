/**
 * One thread at a time: interrupts, ends, refused requests, and the order in which a client shows the messages of
 * others.
 */

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { EventType, type RunFinishedEvent } from "@ag-ui/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type AgUiHandlerOptions, agUiHandler } from "../../packages/ag-ui/src/index.ts";
import { type Agent, ContinuoError } from "../../packages/core/src/model/index.ts";
import { type Continuo, openContinuo } from "../../packages/server/src/runtime/index.ts";
import { Page, saidIn } from "./client.ts";
import { desk } from "./desk.ts";

const URL = "http://desk.example/ag-ui";
const ANN = { sessions: { beginsWith: "ann-" }, access: "write", approve: true, by: "ann" } as const;

let c: Continuo;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [desk(async () => undefined)], pollMs: 20 });
});
afterEach(async () => {
  await c.close({ graceMs: 0 });
  vi.restoreAllMocks();
});

type Authorize = AgUiHandlerOptions["authorize"];

const sendTo =
  (of: Continuo = c, authorize: Authorize = () => ANN): typeof fetch =>
  async (to, init) =>
    await agUiHandler(of, { authorize })(new Request(to as string, init));

const newPage = (approve = true): Page => new Page(URL, "ann-1", { send: sendTo(), approve });

const endOf = (page: Page): RunFinishedEvent => page.streams.at(-1)?.at(-1) as unknown as RunFinishedEvent;

function post(body: object, authorize: Authorize = () => ANN): Promise<Response> {
  const request = new Request(URL, { method: "POST", body: JSON.stringify(body) });
  return agUiHandler(c, { authorize })(request);
}

const asked = (content: unknown, more: object = {}): object => ({
  threadId: "ann-1",
  runId: "r",
  messages: [{ id: "q", role: "user", content }],
  ...more,
});

test.each([
  { approve: true, result: "2 parcels", outcome: "granted" },
  { approve: false, result: "denied", outcome: "denied" },
])(
  "a question of the agent is an interrupt, and its answer ($outcome) resumes the run",
  async ({ approve, result, outcome }) => {
    const page = newPage(approve);
    page.say("please parcel");
    await page.agent.runAgent();
    expect(page.agent.pendingInterrupts).toEqual([
      expect.objectContaining({ reason: "tool_call", message: "Look it up?", toolCallId: "call-1" }),
    ]);
    expect(endOf(page).outcome?.type).toBe("interrupt");
    const [approval] = await c.approvals.list({ status: "open" });
    expect(approval).toMatchObject({ sessionId: "ann-1", toolName: "look" });
    await page.ask();
    expect(page.agent.pendingInterrupts).toEqual([]);
    expect(endOf(page).outcome).toEqual({ type: "success" });
    expect(await c.approvals.get(approval?.id ?? "")).toMatchObject({ status: outcome, by: "ann" });
    expect(saidIn(page.agent.messages)).toEqual([
      {
        user: "please parcel",
        texts: ["You asked: please parcel ", "That is all."],
        calls: [["look", { words: ["please", "parcel"] }, result]],
      },
    ]);
    await page.verify();
  },
);

test("the answer of another client counts, and a later, different answer changes nothing", async () => {
  const page = newPage();
  page.say("please parcel");
  await page.agent.runAgent();
  const [approval] = await c.approvals.list({ status: "open" });
  await c.approvals.resolve(approval?.id ?? "", { outcome: "denied", by: "carla" });
  await page.ask();
  expect(await c.approvals.get(approval?.id ?? "")).toMatchObject({ status: "denied", by: "carla" });
  expect(saidIn(page.agent.messages)[0]?.calls[0]?.[2]).toBe("denied");
});

test("a client that may not approve waits for the answer of somebody else", async () => {
  const send = sendTo(c, () => ({ ...ANN, approve: false }));
  const page = new Page(URL, "ann-1", { send });
  page.say("please parcel");
  const asking = page.ask();
  await expect
    .poll(async () => (await c.approvals.list({ status: "open" })).length, { timeout: 20_000 })
    .toBe(1);
  const [approval] = await c.approvals.list({ status: "open" });
  const resume = [{ interruptId: approval?.id, status: "resolved", payload: { approved: true } }];
  expect((await post(asked("please parcel", { resume }), () => ({ ...ANN, approve: false }))).status).toBe(
    403,
  );
  await c.approvals.resolve(approval?.id ?? "", { outcome: "granted", by: "carla" });
  await asking;
  expect(endOf(page).outcome).toEqual({ type: "success" });
  expect(page.streams).toHaveLength(1);
});

test.each(["before", "after"])(
  "a message that waits for a question that was asked %s it was sent shows the question to the client",
  async (when) => {
    const words = Promise.withResolvers<void>();
    await using one = await openContinuo("memory:", { agents: [desk(() => words.promise)], pollMs: 20 });
    const [first, second] = ["please parcel", "parcel"].map((text) => {
      const page = new Page(URL, "ann-1", { send: sendTo(one) });
      page.say(text);
      return page;
    }) as [Page, Page];
    const leaving = first.agent.runAgent().catch(() => undefined);
    await expect.poll(() => first.streams.flat().length).toBeGreaterThan(1);
    first.agent.abortRun();
    await leaving;
    if (when === "before") {
      words.resolve();
      await expect.poll(async () => (await one.approvals.list({ status: "open" })).length).toBe(1);
    }
    const asking = second.ask();
    await expect.poll(() => second.streams.flat().length).toBeGreaterThan(1);
    words.resolve();
    await asking;
    const results = saidIn(second.agent.messages).map(({ user, calls }) => [user, calls[0]?.[2]]);
    expect(results).toEqual([
      ["please parcel", "2 parcels"],
      ["parcel", "1 parcels"],
    ]);
    await second.verify();
  },
);

test("a run that was stopped before its question was stored does not block later messages", async () => {
  const silent: Agent = {
    name: "silent",
    async execute(_, { onEvent, signal }) {
      const request = { approvalId: "a", title: "Look?", readOnly: true, options: [] };
      await onEvent({ type: "permission_request", ...request });
      await once(signal, "abort");
      throw signal.reason;
    },
  };
  await using one = await openContinuo("memory:", { agents: [silent], pollMs: 20 });
  const page = new Page(URL, "ann-1", { send: sendTo(one) });
  page.say("go");
  await page.agent.runAgent();
  expect(page.agent.pendingInterrupts).toEqual([expect.objectContaining({ id: "a", message: "Look?" })]);
  await one.session("ann-1").stop({ reason: "enough" });
  await page.ask();
  expect(endOf(page).outcome).toEqual({ type: "cancelled" });
  expect(page.agent.pendingInterrupts).toEqual([]);
});

test("an answer to the question of another thread is refused, and the question stays", async () => {
  const page = newPage();
  page.say("please parcel");
  await page.agent.runAgent();
  const [interrupt] = page.agent.pendingInterrupts;
  const resume = [{ interruptId: interrupt?.id, status: "resolved", payload: { approved: true } }];
  const response = await post({ threadId: "ann-2", runId: "r", messages: [], resume });
  expect(response.status).toBe(404);
  expect(await c.approvals.list({ status: "open" })).toHaveLength(1);
});

test("a payload without an approval is not a permission", async () => {
  const page = newPage();
  page.say("please parcel");
  await page.agent.runAgent();
  const [interrupt] = page.agent.pendingInterrupts;
  const resume = [
    { interruptId: interrupt?.id ?? "", status: "resolved" as const, payload: { approved: "true" } },
  ];
  await page.agent.runAgent({ resume });
  expect(saidIn(page.agent.messages)[0]?.calls[0]?.[2]).toBe("denied");
});

test("a message whose id is longer than other ids is refused", async () => {
  const message = { id: "x".repeat(401), role: "user", content: "hello" };
  const refused = await post({ threadId: "ann-1", runId: "r", messages: [message] });
  expect(refused.status).toBe(400);
});

test("a failure whose cause no reader gets is reported to the program once", async () => {
  const reported: unknown[] = [];
  await c.close({ graceMs: 0 });
  const onError = (error: unknown): unknown => reported.push(error);
  const execute = async (): Promise<never> => {
    await sleep(100);
    throw new ContinuoError("unauthorized", "wrong key sk-1");
  };
  c = await openContinuo("memory:", { agents: [{ name: "desk", execute }], pollMs: 20, onError });
  const failing = newPage();
  failing.say("hello");
  await failing.ask();
  await expect.poll(() => reported.length).toBe(1);
  expect(reported).toMatchObject([{ code: "unauthorized", details: { sessionId: "ann-1" } }]);
});

test("a failed run is an error, a stopped run is cancelled, and both keep the text so far", async () => {
  const failing = newPage();
  failing.say("fail");
  await failing.ask();
  expect(failing.streams.at(-1)?.at(-1)).toEqual({
    type: EventType.RUN_ERROR,
    message: "The answer failed (agent_failed).",
  });
  expect(saidIn(failing.agent.messages)[0]?.texts).toEqual(["You asked: fail "]);
  const stopped = newPage();
  await stopped.ask();
  stopped.say("please parcel");
  await stopped.agent.runAgent();
  await c.session("ann-1").stop({ reason: "enough" });
  stopped.agent.pendingInterrupts = [];
  await stopped.ask();
  expect(endOf(stopped).outcome).toEqual({ type: "cancelled" });
  expect(saidIn(stopped.agent.messages)[1]?.texts).toEqual(["You asked: please parcel "]);
});

test("a message that is sent twice is one message, and a client that comes back has everything once", async () => {
  const page = newPage();
  page.say("parcel", "q");
  await Promise.all([page.ask(), post(asked("parcel")).then((response) => response.text())]);
  const again = newPage();
  again.say("parcel", "q");
  await again.ask();
  expect(again.agent.messages).toEqual(page.agent.messages);
  expect((await c.session("ann-1").chat()).messages).toHaveLength(2);
});

test("what another client said is shown at its place, before the message of the client", async () => {
  const page = newPage();
  page.say("one");
  await page.ask();
  const other = newPage();
  other.say("two");
  await other.ask();
  page.say("three");
  await page.ask();
  expect(saidIn(page.agent.messages).map(({ user }) => user)).toEqual(["one", "two", "three"]);
  expect(page.agent.messages.map(({ role }) => role).slice(0, 6)).toEqual([
    ...["user", "reasoning", "assistant", "tool", "assistant"],
    "user",
  ]);
  await page.verify();
});

test("while an earlier answer is written, the message waits, and the earlier answer comes before it", async () => {
  const gate = Promise.withResolvers<void>();
  const slow: Agent = {
    name: "slow",
    async execute({ input }, { onEvent }) {
      await onEvent({ type: "text", delta: "Well, ", messageId: "m" });
      await gate.promise;
      await onEvent({ type: "text", delta: `no. ${input.length}`, messageId: "m" });
      return {};
    },
  };
  await using one = await openContinuo("memory:", { agents: [slow], pollMs: 20 });
  const pages = ["one", "two"].map(() => new Page(URL, "ann-1", { send: sendTo(one) }));
  const [first, second] = pages as [Page, Page];
  first.say("one");
  const asking = first.ask();
  await expect.poll(() => saidIn(first.agent.messages)[0]?.texts, { timeout: 20_000 }).toEqual(["Well, "]);
  second.say("two");
  const waiting = second.ask();
  await expect.poll(() => saidIn(second.agent.messages).length, { timeout: 20_000 }).toBe(2);
  gate.resolve();
  await Promise.all([asking, waiting]);
  expect(saidIn(second.agent.messages)).toEqual([
    { user: "one", texts: ["Well, no. 1"], calls: [] },
    { user: "two", texts: ["Well, no. 1"], calls: [] },
  ]);
  await second.verify();
});

test("text of an attempt that made no call is replaced by the text of the next attempt", async () => {
  let attempt = 0;
  const unsteady: Agent = {
    name: "unsteady",
    async execute(_, { onEvent }) {
      attempt++;
      await onEvent({ type: "text", delta: `attempt ${attempt}`, messageId: "m" });
      if (attempt === 1) throw new Error("no power");
      return {};
    },
  };
  await using one = await openContinuo("memory:", {
    agents: [unsteady],
    retry: { on: ["failed"] },
    pollMs: 20,
  });
  const page = new Page(URL, "ann-1", { send: sendTo(one) });
  page.say("go");
  await page.ask();
  expect(page.streams).toHaveLength(1);
  expect(saidIn(page.agent.messages)).toEqual([{ user: "go", texts: ["attempt 2"], calls: [] }]);
  const types = page.streams[0]?.map(({ type }) => String(type)) ?? [];
  expect(types.filter((type) => type === "MESSAGES_SNAPSHOT")).toHaveLength(2);
  await page.verify();
});

test("images are accepted and shown with their content, and the address of an image is refused", async () => {
  const source = { type: "data", value: "aGk=", mimeType: "image/png" };
  const content = [
    { type: "text", text: "this one" },
    { type: "image", source },
  ];
  const page = newPage();
  page.agent.addMessage({ id: "q", role: "user", content } as never);
  await page.ask();
  expect(page.agent.messages[0]).toEqual({ id: "q", role: "user", content });
  for (const value of ["file:///etc/passwd", "http://10.0.0.1/"]) {
    const part = { type: "image", source: { type: "url", value, mimeType: "image/png" } };
    expect((await post(asked([part], { threadId: "ann-2" }))).status).toBe(400);
  }
  expect(await c.store.getSession("ann-2")).toBeNull();
});

test.each([
  { why: "nobody", status: 401, allowed: null, body: asked("hi") },
  { why: "somebody else's thread", status: 403, allowed: ANN, body: asked("hi", { threadId: "bob-1" }) },
  {
    why: "a reader who writes",
    status: 403,
    allowed: { ...ANN, access: "read" as const },
    body: asked("hi"),
  },
  { why: "no thread", status: 400, allowed: ANN, body: { runId: "r", messages: [] } },
  {
    why: "a message without an id",
    status: 400,
    allowed: ANN,
    body: { threadId: "ann-1", runId: "r", messages: [{ role: "user" }] },
  },
  { why: "an empty message", status: 400, allowed: ANN, body: asked("") },
  { why: "a list", status: 400, allowed: ANN, body: [] },
])("$why is refused with $status, and nothing is stored", async ({ status, allowed, body }) => {
  const response = await post(body, () => allowed);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: expect.objectContaining({ message: expect.any(String) }) });
  expect((await c.store.listSessions({})).items).toEqual([]);
});

test("a customer with access to chats writes, and opens the session as the program describes it", async () => {
  const newSession = (id: string) => ({ title: `desk of ${id}`, metadata: { shop: "north" } });
  const allowed = { ...ANN, access: "chat", agents: ["desk"], newSession } as const;
  const response = await post(asked("hi"), () => allowed);
  expect(await response.text()).toContain('"type":"RUN_FINISHED"');
  expect(await c.store.getSession("ann-1")).toMatchObject({
    title: "desk of ann-1",
    metadata: { shop: "north" },
  });
  expect(await c.session("ann-1").run("q").result()).toMatchObject({ status: "completed" });
});

test("a body that is too large is refused, and so are another method and an unknown option", async () => {
  const huge = await post(asked("x".repeat(33_000_000)));
  expect(huge.status).toBe(413);
  const handler = agUiHandler(c, { authorize: () => ANN });
  expect((await handler(new Request(URL))).status).toBe(405);
  expect(() => agUiHandler(c, { authorize: () => ANN, timeoutMS: 1 } as never)).toThrow(
    /no option timeoutMS/u,
  );
});

test("a reader who disconnects does not end the run", async () => {
  const response = await post(asked("parcel"));
  await response.body?.cancel();
  expect(await c.session("ann-1").run("q").result()).toMatchObject({ status: "completed" });
});

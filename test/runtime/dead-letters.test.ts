/** A message that was given up: its sender, its readers and those who run the product learn it. */

import type { Agent } from "@continuo/core/model";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let store: OpenedStore;
const opened: Continuo[] = [];
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  for (const c of opened.splice(0)) await c.close({ graceMs: 0 });
  await store.close();
});

async function start(options: Parameters<typeof openContinuo>[1]): Promise<Continuo> {
  const c = await openContinuo(store, { pollMs: 10, onError: () => undefined, ...options });
  opened.push(c);
  return c;
}

/** An attempt whose process is killed after these words. */
async function killedAfter(words: string): Promise<void> {
  const [run] = (await store.listRuns({ status: "pending" })).items;
  const over = new AbortController();
  const agent: Agent = {
    name: "echo",
    async execute(_, { onEvent }) {
      await onEvent?.({ type: "text", messageId: "m", delta: words });
      const stored = { runId: run?.runId ?? "", types: ["message_streamed"] };
      await expect.poll(async () => (await store.read(run?.sessionId ?? "", stored)).events.length).toBe(1);
      over.abort();
      return await new Promise(() => undefined);
    },
  };
  const left = executeRun(store, agent, run?.runId ?? "", { abandon: over.signal, graceMs: 0 });
  await expect(left).rejects.toMatchObject({ code: "fenced" });
}

/** A new process, which finds what the killed one left. */
const next = (attempts: number): Promise<Continuo> =>
  start({ work: false, agents: [new EchoAgent()], recover: "retry", retry: { attempts } });

async function dead(): Promise<Continuo> {
  const first = await next(2);
  await first.session("customer-ann", { create: true, metadata: { user: "ann" } }).send("go", { id: "m1" });
  await killedAfter("One two three four");
  await next(2);
  await killedAfter("One");
  return await next(2);
}

const REASON = "its agent was given it 2 times, and did not end";
const WORDS = "The answer failed (dead_letter).";

test("a message that was given up says so when it is sent again, and its result has the reason", async () => {
  const c = await dead();
  const again = c.session("customer-ann").send("go", { id: "m1" });
  expect(await again).toMatchObject({ id: "m1", status: "dead_letter" });
  expect(await again.result()).toMatchObject({
    status: "interrupted",
    reason: `the input is not tried again: ${REASON}`,
  });
  expect(await c.deadLetters.list({ metadata: { user: "ann" } })).toMatchObject([
    { sessionId: "customer-ann", attempts: 2, reason: REASON },
  ]);
  expect(await c.deadLetters.list({ metadata: { user: "ben" } })).toEqual([]);
  await expect(c.deadLetters.list({ user: "ann" } as never)).rejects.toMatchObject({ code: "usage" });
  const [letter] = await c.deadLetters.list();
  await c.deadLetters.retry(letter?.runId ?? "");
  expect(await c.session("customer-ann").send("go", { id: "m1" })).not.toMatchObject({
    status: "dead_letter",
  });
  await start({ agents: [new EchoAgent()], recover: "retry" });
  expect(await again.result()).toMatchObject({ status: "completed", text: "go" });
  const { messages } = await c.session("customer-ann").chat();
  expect(messages.at(-1)).toMatchObject({
    parts: [{ type: "step-start" }, { type: "text", text: "go" }],
  });
  expect(messages.at(-1)).not.toHaveProperty("metadata");
});

test("readers of a message that was given up get a sentence, and keep the longest text that they had", async () => {
  const c = await dead();
  const session = c.session("customer-ann");
  const events = await session.run("m1").toSSE().text();
  const end = { status: "interrupted", code: "dead_letter", message: WORDS };
  expect(events).toContain(`event: end\ndata: ${JSON.stringify(end)}\n\n`);
  const stream = await session.run("m1").toUIMessageResponse().text();
  const chunks = stream.split("\n\n").filter((line) => line.startsWith("data: {"));
  expect(chunks.map((line) => JSON.parse(line.slice(6))).slice(-3)).toEqual([
    { type: "finish-step" },
    { type: "message-metadata", messageMetadata: { status: "interrupted", errorText: WORDS } },
    { type: "error", errorText: WORDS },
  ]);
  const { messages, open } = await session.chat();
  expect(open).toEqual([]);
  expect(messages[1]).toMatchObject({
    metadata: { status: "interrupted", errorText: WORDS },
    parts: [{ type: "step-start" }, { type: "text", text: "One two three four" }],
  });
});

test("a message that is given up after one attempt has the word once", async () => {
  const c = await next(1);
  await c.session("s", { create: true }).send("go");
  await killedAfter("One");
  expect(await (await next(1)).deadLetters.list()).toMatchObject([
    { attempts: 1, reason: "its agent was given it once, and did not end" },
  ]);
});

test("a message that was given up is asked again with all its attempts, once for two callers", async () => {
  const c = await dead();
  const session = c.session("customer-ann");
  const ask = () => session.send("go", { id: "m1", again: true });
  const both = await Promise.all([ask(), ask()]);
  expect(both.map(({ status }) => status)).toEqual(["pending", "pending"]);
  expect(await c.deadLetters.list()).toEqual([]);
  await killedAfter("One");
  await start({ agents: [new EchoAgent()], recover: "retry", retry: { attempts: 2 } });
  expect(await session.run("m1").result()).toMatchObject({ status: "completed", text: "go" });
  // A complete answer stays.
  expect(await ask()).toMatchObject({ status: "completed" });
  expect((await store.listRuns({ sessionId: "customer-ann" })).items).toHaveLength(4);
});

test.each([
  ["failed", {}],
  ["cancelled", {}],
  ["failed", { runAt: "2026-01-01T00:00:00Z" }],
] as const)(
  "a message whose answer was %s is asked again under its id only if that is requested, with %j",
  async (end, more) => {
    let turns = 0;
    const agent: Agent = {
      name: "desk",
      async execute(_, { onEvent, signal }) {
        if (turns++ > 0) {
          await onEvent?.({ type: "text", messageId: "m", delta: "In Ulm." });
          return {};
        }
        if (end === "failed") throw new Error("no power");
        return await new Promise((_, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
    const c = await start({ agents: [agent] });
    const session = c.session("s", { create: true });
    const run = session.send("Where is it?", { id: "m1" });
    await run;
    await expect.poll(() => turns).toBe(1);
    if (end === "cancelled") await run.cancel();
    expect(await run.result()).toMatchObject({ status: end });
    expect(await session.send("Where is it?", { id: "m1" }).result()).toMatchObject({ status: end });
    await expect(Array.fromAsync(session.run("m1").textStream())).rejects.toMatchObject({
      hint: expect.stringContaining("again: true"),
    });
    const again = session.send("Where is it?", { id: "m1", again: true, ...more });
    expect(await again.result()).toMatchObject({ status: "completed", text: "In Ulm." });
    await expect(session.send("Where?", { id: "m1", again: true })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(turns).toBe(2);
  },
);

test("a new message with `again: true` is sent, and one that is still waiting is not sent twice", async () => {
  const c = await start({ work: false, agents: [new EchoAgent()] });
  const session = c.session("s", { create: true });
  for (let times = 0; times < 2; times++) {
    expect(await session.send("go", { id: "m1", again: true })).toMatchObject({ status: "pending" });
  }
  expect((await store.listRuns({ sessionId: "s" })).items).toHaveLength(1);
});

test("over HTTP, a message that was given up is a conflict with words, and its chat ends with an error", async () => {
  const c = await dead();
  const handler = c.handler({ authorize: () => ({ sessions: "*", access: "write", by: "ann" }) });
  const url = "http://localhost/v1/sessions/customer-ann";
  const send = (path: string, body: object): Promise<Response> =>
    handler(new Request(url + path, { method: "POST", body: JSON.stringify(body) }));
  const refused = await send("/messages", { id: "m1", text: "go" });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({
    error: {
      code: "conflict",
      message: "the message m1 was given up after its last attempt",
      details: { status: "dead_letter", sessionId: "customer-ann" },
    },
  });
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "go" }] };
  const answer = await send("/chat", { messages: [message] });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(WORDS)]);
});

test("the approvals are forbidden for a customer, who would take an empty list for a complete one", async () => {
  const reported: unknown[] = [];
  const c = await start({ work: false, onError: (error) => reported.push(error) });
  const asked = (access: "chat" | "read", approve: boolean, path = "", method = "GET"): Promise<Response> => {
    const handler = c.handler({ authorize: () => ({ sessions: "*", access, approve, by: "ann" }) });
    const body = method === "GET" ? null : JSON.stringify({ outcome: "granted" });
    return handler(new Request(`http://localhost/v1/approvals${path}`, { method, body }));
  };
  const refused = await asked("chat", false);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({
    error: { code: "forbidden", hint: "Ask the people who run this service for access." },
  });
  expect(reported).toMatchObject([{ hint: expect.stringContaining("approve: true") }]);
  expect((await asked("chat", false, "/some", "POST")).status).toBe(403);
  expect((await asked("chat", true)).status).toBe(200);
  expect((await asked("read", false)).status).toBe(200);
  expect((await asked("read", true, "/some", "POST")).status).toBe(404);
});

test("an id that waits for its time is refused with another time or text, and answered once with the same", async () => {
  const c = await start({ work: false, agents: [new EchoAgent()] });
  const session = c.session("s", { create: true });
  const runAt = new Date(Date.now() + 3_600_000).toISOString();
  const later = new Date(Date.now() + 7_200_000).toISOString();
  const sent = await session.send("report", { id: "1", runAt });
  expect(await session.send("report", { id: "1", runAt })).toEqual(sent);
  await expect(session.send("report", { id: "1", runAt: later })).rejects.toMatchObject({
    code: "conflict",
    details: { runAt },
  });
  await expect(session.send("other", { id: "1", runAt })).rejects.toMatchObject({ code: "conflict" });
  expect((await store.listClaims({ prefix: "schedule/" })).items).toHaveLength(1);
  await session.send("now", { id: "2", runAt: new Date(Date.now() - 1).toISOString() });
  await start({ agents: [new EchoAgent()] });
  await expect.poll(async () => (await store.listRuns({ status: "completed" })).items.length).toBe(1);
  // The times of messages that were sent are forgotten.
  await expect.poll(async () => (await store.listClaims({ prefix: "time/" })).items.length).toBe(1);
  await expect(session.send("other", { id: "2", runAt })).rejects.toMatchObject({ code: "conflict" });
  expect(await session.send("now", { id: "2", runAt: later })).toMatchObject({ status: "completed" });
});

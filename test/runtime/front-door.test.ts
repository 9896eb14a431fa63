/** The front door of a program: messages that are sent once, and runs that are followed. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Agent, ContinuoError, type KnownEvent } from "@continuo/core/model";
import {
  type Continuo,
  defineAgent,
  defineEvent,
  isKnownEvent,
  openContinuo,
  type StandardSchema,
} from "@continuo/server/runtime";
import { jsonSchema, parseJsonEventStream, readUIMessageStream, tool, uiMessageChunkSchema } from "ai";
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";
import { builtViewer } from "../sizes/shared-programs.ts";

let c: Continuo;
afterEach(() => c.close());

describe("a message", () => {
  test("is sent once for each id, is durable when the promise resolves, and gets one answer", async () => {
    c = await openContinuo("memory:", { agents: [new EchoAgent()] });
    const session = c.session("customer", { create: true, metadata: { user: "ann" } });
    const sent = await Promise.all([1, 2, 3].map(() => session.send("hello", { id: "1" })));
    expect(new Set(sent.map(({ runId }) => runId)).size).toBe(1);
    expect(sent[0]).toMatchObject({ id: "1", sessionId: "customer", agent: "echo" });
    expect(await session.run("1").result()).toMatchObject({ status: "completed", text: "hello" });
    expect(await session.send("hello", { id: "1" })).toMatchObject({ status: "completed" });
    await expect(session.send("goodbye", { id: "1" })).rejects.toMatchObject({ code: "conflict" });
    expect(await c.session("other", { create: true }).send("hi", { id: "1" }).result()).toMatchObject({
      text: "hi",
    });
    const said = (await session.messages()).map(({ role }) => role);
    expect(said).toEqual(["user", "assistant"]);
    expect((await c.store.getSession("customer"))?.metadata.user).toBe("ann");
  });

  test("that failed once has the events of both attempts, by its own id and by that of the second attempt", async () => {
    let calls = 0;
    const agent = {
      name: "shaky",
      execute: async () => {
        calls += 1;
        if (calls === 1) throw new Error("no power");
        return {};
      },
    };
    c = await openContinuo("memory:", { agents: [agent], retry: { on: ["failed"] } });
    const session = c.session("s", { create: true });
    await session.send("go", { id: "1" }).result();
    const { items } = await c.store.listRuns({ sessionId: "s" });
    const second = items.find(({ metadata }) => metadata.retryOf !== undefined);
    const events = await Array.fromAsync(session.run("1"));
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["run_failed", "run_completed"]));
    expect(await Array.fromAsync(session.run(second?.runId ?? ""))).toEqual(events);
  });

  test("is answered with the earlier messages in mind", async () => {
    const heard: number[] = [];
    const agent = {
      name: "counter",
      execute: async ({ transcript }: { transcript?: { messages: readonly unknown[] } }) => {
        heard.push(transcript?.messages.length ?? 0);
        return {};
      },
    };
    c = await openContinuo("memory:", { agents: [agent] });
    const session = c.session("s", { create: true });
    await session.send("one").result();
    await session.send("two").result();
    expect(heard).toEqual([0, 1]);
  });

  test("to a missing session fails with not_found, and without an agent it is refused", async () => {
    c = await openContinuo("memory:");
    await expect(c.session("none").send("x")).rejects.toMatchObject({ code: "not_found" });
    await expect(c.session("s", { create: true }).send("x")).rejects.toMatchObject({ code: "usage" });
    // A program without agents only sends; another process may have the agent.
    expect(await c.session("s").send("x", { agent: "elsewhere" })).toMatchObject({ status: "pending" });
    const desk = await openContinuo("memory:", { agents: [new EchoAgent()] });
    const named = desk.session("s", { create: true });
    await expect(named.send("x", { agent: "nobody" })).rejects.toMatchObject({ code: "not_found" });
    expect((await desk.store.listRuns({})).items).toEqual([]);
    const elsewhere = { name: "elsewhere", open: () => Promise.reject(new Error("not called")) };
    expect(await named.send("x", { agent: elsewhere })).toMatchObject({
      agent: "elsewhere",
      status: "pending",
    });
    await desk.close();
    await expect(c.work({ agents: ["nobody"] })).rejects.toMatchObject({ code: "not_found" });
    await expect(
      openContinuo("memory:", { agents: [new EchoAgent(), new EchoAgent()] }),
    ).rejects.toMatchObject({
      code: "usage",
    });
  });

  test("waits for its time, and is then sent once", async () => {
    c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 10 });
    const session = c.session("s", { create: true });
    const runAt = new Date(Date.now() + 150).toISOString();
    const sent = await session.send("later", { id: "1", runAt });
    expect(sent.status).toBe("scheduled");
    await session.send("later", { id: "1", runAt });
    expect((await c.store.listRuns({})).items).toEqual([]);
    expect(await session.send("now").result()).toMatchObject({ text: "now" });
    await expect.poll(async () => (await c.store.getRun(sent.runId))?.status).toBe("completed");
    expect((await session.messages()).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });
});

describe("the events of a run", () => {
  test("arrive once and in order, have the payload of their type, and end with the run", async () => {
    c = await openContinuo("memory:", { agents: [new EchoAgent()] });
    const run = c.session("s", { create: true }).send("hello");
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      if (event.type === "message_received")
        expectTypeOf(event.data.stopReason).toEqualTypeOf<string | undefined>();
    }
    expect(types[0]).toBe("run_created");
    expect(types.at(-1)).toBe("run_completed");
    // A later reader sees the same events.
    expect((await Array.fromAsync(run)).map(({ type }) => type)).toEqual(types);
  });

  test("reach a browser as server-sent events, which resume after the last id and end", async () => {
    c = await openContinuo("memory:", { agents: [new EchoAgent()] });
    const run = c.session("s", { create: true }).send("hello");
    await run.result();
    const read = async (headers: Record<string, string> = {}): Promise<readonly KnownEvent[]> => {
      const response = run.toSSE(new Request("http://localhost/", { headers }));
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      const lines = (await response.text()).split("\n\n");
      expect(lines.at(-2)).toBe('event: end\ndata: {"status":"completed"}');
      return lines.flatMap((one) => {
        const data = /^id: \d+\ndata: (.*)$/u.exec(one)?.[1];
        return data === undefined ? [] : [JSON.parse(data) as KnownEvent];
      });
    };
    const all = await read();
    expect(all.at(-1)?.type).toBe("run_completed");
    const rest = await read({ "last-event-id": String(all[1]?.sequence) });
    expect(rest.map(({ sequence }) => sequence)).toEqual(all.slice(2).map(({ sequence }) => sequence));
    expect(await read({ "last-event-id": String(all.at(-1)?.sequence) })).toEqual([]);
    const lastEventId = all[1]?.sequence ?? 0;
    const events = (await run.toSSE({ after: lastEventId }).text()).match(/(?<=^id: )\d+/gmu);
    expect(events?.map(Number)).toEqual(rest.map(({ sequence }) => sequence));
    // Customers see no processes of the machine and no hashes.
    const [{ owner } = { owner: null }] = (await c.store.listRuns({ sessionId: "s" })).items;
    expect(owner).toMatch(/./u);
    const sent = JSON.stringify(all);
    expect([
      sent.includes(owner ?? ""),
      /payloadHash|chainHash|"actor":\{"kind":"system","id"/u.test(sent),
    ]).toEqual([false, false]);
  });

  test("of a failed run end in a browser with the code of its error", async () => {
    const broken = {
      name: "broken",
      execute: () => Promise.reject(new ContinuoError("rate_limited", "later")),
    };
    c = await openContinuo("memory:", { agents: [broken] });
    const text = await c.session("s", { create: true }).send("hello").toSSE().text();
    expect(text.split("\n\n").at(-2)).toBe(
      'event: end\ndata: {"status":"failed","code":"rate_limited","message":"The answer failed (rate_limited)."}',
    );
  });

  test("of a session continue until the reader disconnects", async () => {
    c = await openContinuo("memory:", { agents: [new EchoAgent()] });
    const session = c.session("s", { create: true });
    const reader = new AbortController();
    const response = session.toSSE(new Request("http://localhost/", { signal: reader.signal }));
    const body = response.body?.pipeThrough(new TextDecoderStream());
    await session.send("hello").result();
    let seen = "";
    for await (const chunk of body ?? []) {
      seen += chunk;
      if (seen.includes("run_completed")) break;
    }
    expect(seen).toContain('"type":"session_created"');
    reader.abort();
  });

  test("become the texts of the answers, each once, whether they were streamed or not", async () => {
    const agent: Agent = {
      name: "talker",
      async execute(_, { onEvent }) {
        const long = "I look it up. ".repeat(400);
        await onEvent({ type: "thinking", delta: "hm", messageId: "a" });
        await onEvent({ type: "text", delta: long, messageId: "a" });
        await onEvent({ type: "message", content: [{ type: "text", text: long }], messageId: "a" });
        await onEvent({ type: "tool_call", toolCallId: "t", toolName: "look_up" });
        await onEvent({ type: "tool_result", toolCallId: "t", status: "ok", content: "sent" });
        await onEvent({ type: "message", content: [{ type: "text", text: "It is sent." }], messageId: "b" });
        return {};
      },
    };
    c = await openContinuo("memory:", { agents: [agent] });
    const run = c.session("s", { create: true }).send("Where is it?");
    const words = (await Array.fromAsync(run.textStream())).join("");
    expect(words).toBe(`${"I look it up. ".repeat(400)}\n\nIt is sent.`);
    const deltas: string[] = [];
    for await (const e of run) if (e.type === "message_streamed") deltas.push(e.data.delta);
    expect(deltas.join("")).toContain("I look it up. ".repeat(400));
  });

  test("keep their order after a cancellation, which the run reports", async () => {
    const waiting = {
      name: "slow",
      execute: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        ),
    };
    c = await openContinuo("memory:", { agents: [waiting] });
    const run = c.session("s", { create: true }).send("hello");
    await run;
    setTimeout(() => void run.cancel("enough"), 100);
    expect(await run.result()).toMatchObject({ status: "cancelled", reason: "enough" });
  });
});

describe("the UI message stream", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({
      turns: [
        { user: "weather", answers: [[text("I look."), call("weather", { town: "Ulm" })], [text("Rain.")]] },
      ],
    });
  });
  afterAll(() => server.close());

  test("can be read by the AI SDK as a message of a model that calls a tool", async () => {
    const inputSchema = jsonSchema<{ town: string }>({
      type: "object",
      properties: { town: { type: "string" } },
    });
    const desk = defineAgent({
      name: "desk",
      model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
      tools: { weather: tool({ inputSchema, execute: ({ town }) => `It rains in ${town}.` }) },
    });
    c = await openContinuo("memory:", { agents: [desk] });
    const response = c.session("s", { create: true }).send("weather").toUIMessageResponse();
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    if (response.body === null) throw new Error("there is no body");
    const chunks = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema });
    const stream = chunks.pipeThrough(
      new TransformStream({
        transform: (chunk, controller) => {
          if (!chunk.success) throw chunk.error;
          controller.enqueue(chunk.value);
        },
      }),
    );
    const messages = await Array.fromAsync(readUIMessageStream({ stream }));
    expect(messages.at(-1)?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "I look.", state: "done" },
      { type: "tool-weather", input: { town: "Ulm" }, output: "It rains in Ulm.", state: "output-available" },
      { type: "step-start" },
      { type: "text", text: "Rain.", state: "done" },
    ]);
  });

  test("of a failed run ends with the error", async () => {
    const failing = { name: "failing", execute: () => Promise.reject(new Error("no power")) };
    c = await openContinuo("memory:", { agents: [failing] });
    const response = c.session("s", { create: true }).send("x").toUIMessageResponse();
    const lines = (await response.text()).split("\n\n");
    expect(lines).toContain('data: {"type":"start-step"}');
    expect(lines.find((one) => one.includes('"type":"error"'))).toBeDefined();
    expect(lines.at(-2)).toBe("data: [DONE]");
  });
});

describe("the value of an agent with an output", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({
      turns: [
        { user: "glad", answers: [[text('{"mood":"glad"}')]] },
        { user: "sad", answers: [[text("I am sad.")]] },
      ],
    });
  });
  afterAll(() => server.close());

  test("has the type and the form of its schema; another answer fails the run", async () => {
    const reader = defineAgent({
      name: "reader",
      model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
      output: z.object({ mood: z.string() }),
    });
    c = await openContinuo("memory:", { agents: [reader] });
    const session = c.session("s", { create: true });
    const outcome = await session.send("glad", { agent: reader }).result();
    if (outcome.status !== "completed") throw new Error("the run did not complete");
    expectTypeOf(outcome.value).toEqualTypeOf<{ mood: string } | undefined>();
    expect(outcome.value).toEqual({ mood: "glad" });
    expect(await session.send("sad", { agent: reader }).result()).toMatchObject({
      status: "failed",
      error: { code: "agent_failed" },
    });
  });
});

describe("events of the program", () => {
  const placed = defineEvent("order.placed", z.object({ order: z.number().int() }));

  test("are checked by their schema when they are appended, and typed when they are read", async () => {
    c = await openContinuo("memory:");
    const session = c.session("s", { create: true });
    const stored = await session.append(placed, { order: 7 });
    expect(placed.is(stored) && stored.data.order).toBe(7);
    await expect(session.append(placed, { order: 7.5 })).rejects.toMatchObject({ code: "invalid" });
    const { events } = await c.store.read("s");
    expect(events.map(({ type }) => type)).toEqual(["session_created", "order.placed"]);
    expect(events.filter(isKnownEvent).map(({ type }) => type)).toEqual(["session_created"]);
  });

  test("accept a standard schema of any library, also one that checks asynchronously", async () => {
    const schema: StandardSchema<{ at: string }> = {
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: async (value) => {
          const at = String((value as { readonly at?: unknown } | null)?.at);
          return Number.isNaN(Date.parse(at))
            ? { issues: [{ message: "this is no date", path: ["at"] }] }
            : { value: { at: new Date(at).toISOString() } };
        },
      },
    };
    const shipped = defineEvent("order.shipped", schema);
    c = await openContinuo("memory:");
    const session = c.session("s", { create: true });
    const stored = await session.append(shipped, { at: "2026-05-15" });
    expect(stored.data).toEqual({ at: "2026-05-15T00:00:00.000Z" });
    const refused = session.append(shipped, { at: "soon" });
    await expect(refused).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("this is no date"),
    });
  });

  test("can have `null` as their data, and an event whose data was removed or is invalid is not recognised", async () => {
    const cleared = defineEvent("order.cleared", z.null());
    c = await openContinuo("memory:");
    const stored = await c.session("s", { create: true }).append(cleared, null);
    expect([stored.data, cleared.is(stored)]).toEqual([null, true]);
    expect(cleared.is({ ...stored, pruned: true } as never)).toBe(false);
    expect(cleared.is({ ...stored, invalid: "The payload is no object." } as never)).toBe(false);
    expect(placed.is(stored)).toBe(false);
  });

  test("of earlier versions are upgraded when they are read, and do not change in the log", async () => {
    const renamed = z.object({ id: z.number() });
    const second = defineEvent("order.placed", renamed, {
      version: 2,
      upcasters: { 1: ({ order }: { order: number }) => ({ id: order }) },
    });
    const third = defineEvent("order.placed", z.object({ id: z.string().min(1) }), {
      version: 3,
      upcasters: {
        1: ({ order }: { order: number }) => ({ id: order }),
        2: ({ id }: z.infer<typeof renamed>) => ({ id: id === 0 ? "" : `order-${id}` }),
      },
    });
    c = await openContinuo("memory:");
    const session = c.session("s", { create: true });
    await session.append(placed, { order: 7 });
    await session.append(second, { id: 8 });
    await session.append(third, { id: "order-9" });
    expect(third.types).toEqual(["order.placed", "order.placed.v2", "order.placed.v3"]);
    const { events } = await c.store.read("s", { types: third.types });
    const read = await Promise.all(events.map((event) => third.read(event)));
    expectTypeOf(read[0]?.data).toEqualTypeOf<{ id: string } | undefined>();
    expect(read.map((event) => event?.data)).toEqual([
      { id: "order-7" },
      { id: "order-8" },
      { id: "order-9" },
    ]);
    expect(events.map(({ data }) => data)).toEqual([{ order: 7 }, { id: 8 }, { id: "order-9" }]);
    expect(events.map((event) => third.is(event))).toEqual([false, false, true]);
    // A program that knows only the older version does not recognise the new data.
    expect(await Promise.all(events.map((event) => second.read(event)))).toMatchObject([
      { data: { id: 7 } },
      { data: { id: 8 } },
      null,
    ]);
    const [, stored] = events;
    expect(await third.read({ ...stored, pruned: { at: "", reason: "" } } as never)).toBe(null);
    await expect(third.read({ ...stored, data: { id: 0 } } as never)).rejects.toMatchObject({
      code: "invalid",
    });
    const define = (options: object) => () => defineEvent("order.placed", renamed, options);
    expect(define({ version: 3, upcasters: { 2: String } })).toThrow("version 1 has no upcaster");
    expect(define({ upcasters: { 1: String } })).toThrow("the upcaster of version 1 is not before version 1");
    expect(define({ version: 0 })).toThrow("its version must be a whole number from 1");
  });

  test("cannot have a name of Continuo's own types, and an invalid payload of such a type is refused", async () => {
    const reasonOf = (name: string): unknown => {
      try {
        defineEvent(name, z.object({}));
      } catch (error) {
        return (error as Error).message.split(": ")[1];
      }
      return null;
    };
    expect(reasonOf("message_sent")).toBe("this is a type of Continuo");
    expect(reasonOf("order")).toBe("it needs two words and a dot");
    expect(reasonOf("2order.placed")).toBe("it must begin with a letter");
    expect(reasonOf("order placed.now")).toBe("a word may contain only letters, digits, `_` and `-`");
    expect(reasonOf("order..placed")).toBe("it needs two words and a dot");
    expect(reasonOf("order.placed.v2")).toBe("its last word has the form of a version");
    expect(reasonOf("order.2-placed")).toBe(null);
    c = await openContinuo("memory:");
    const session = c.session("s", { create: true });
    await expect(session.append("message_sent", { contents: "x" } as never)).rejects.toMatchObject({
      code: "invalid",
    });
    expect((await session.append("custom", { name: "vote" })).data.name).toBe("vote");
  });
});

test("a page has no secret of a known form if it is asked for without, also one that came in parts", async () => {
  await builtViewer();
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const session = c.session("s", { create: true, title: `Rotate ${secret}` });
  await session.send(`My key is ${secret}.`).result();
  expect(await session.toHtml()).toContain(secret);
  for (const view of ["log", "chat"] as const) {
    const html = await session.toHtml({ view, maskSecrets: true });
    expect(html).not.toContain(secret.slice(0, 20));
    expect(html).toContain("[masked: GitHub token]");
  }
});

test("a session is rendered as the viewer's page, with its text escaped", async () => {
  await builtViewer();
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  const session = c.session("s", { create: true, title: "Questions" });
  await session.send("<script>alert(1)</script>").result();
  const html = await session.toHtml();
  expect(html).toContain("<title>Questions</title>");
  expect(html).not.toContain("<script>alert");
  expect(html).toContain('<script type="application/json" id="saved-session">{"savedAt":');
});

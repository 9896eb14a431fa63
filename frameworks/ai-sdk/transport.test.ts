/** Only the transport, against the handler of a program in this process. */

import type { UIMessage, UIMessageChunk } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ContinuoChatTransport, type ContinuoChatTransportOptions } from "../../packages/ai-sdk/src/index.ts";
import type { Agent } from "../../packages/core/src/model/index.ts";
import { type Authorization, type Continuo, openContinuo } from "../../packages/server/src/runtime/index.ts";
import { ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { Tab } from "./tab.ts";

let c: Continuo;
let seen: Request[];
let allowed: Authorization;
/** Answers that replace those of the server, in order. */
let instead: (() => Response | Promise<Response>)[];

beforeEach(() => {
  seen = [];
  instead = [];
  allowed = { sessions: "*", access: "write", approve: true, by: "ann" };
});
afterEach(() => c.close({ graceMs: 0 }));

async function open(
  agent: Agent,
  options: Partial<ContinuoChatTransportOptions> = {},
): Promise<ContinuoChatTransport> {
  c = await openContinuo("memory:", { agents: [agent], pollMs: 10 });
  const handler = c.handler({ authorize: () => allowed });
  return new ContinuoChatTransport({
    url: "http://desk.example/",
    fetch: async (to, init) => {
      const request = new Request(to as string, init);
      seen.push(request);
      return (await instead.shift()?.()) ?? (await handler(request));
    },
    ...options,
  });
}

function question(id: string, text = "Where is it?"): UIMessage {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

function sending(messages: UIMessage[], given: object = {}) {
  return {
    chatId: "ann 1",
    trigger: "submit-message" as const,
    messageId: undefined,
    messages,
    abortSignal: undefined,
    ...given,
  };
}

const ASKED = [{ type: "text", text: "Where is it?" }] as const;

async function textOf(stream: ReadableStream<UIMessageChunk> | null): Promise<string | null> {
  if (stream === null) return null;
  const chunks = await Array.fromAsync(stream);
  return chunks.map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join("");
}

const talker = (): ScriptedAgent =>
  new ScriptedAgent({ turns: [[{ stream: ["In ", "Ulm."] }], [{ stream: ["On "] }, { wait: "abort" }]] });

test("only the last message is sent, with the headers of the transport and of the call", async () => {
  const transport = await open(talker(), {
    headers: async () => ({ authorization: "Bearer t", "x-a": "1" }),
  });
  const earlier = question("q0", "an earlier one");
  const stream = await transport.sendMessages(
    sending([earlier, question("q1")], { headers: { "x-a": "2" }, body: { city: "Ulm" } }),
  );
  expect(await textOf(stream)).toBe("In Ulm.");
  const [request] = seen;
  expect(request?.url).toBe("http://desk.example/v1/sessions/ann%201/chat");
  expect([request?.headers.get("authorization"), request?.headers.get("x-a")]).toEqual(["Bearer t", "2"]);
  const { messages } = await c.session("ann 1").chat();
  expect(messages.map(({ id }) => id)).toEqual(["q1", expect.any(String)]);
  expect(await transport.load("ann 1")).toEqual(messages);
  expect(await transport.load("ben")).toEqual([]);
  expect(await transport.reconnectToStream({ chatId: "ann 1" })).toBeNull();
  expect(await transport.reconnectToStream({ chatId: "ben" })).toBeNull();
});

test("an answer as the last message is refused, and nothing is sent", async () => {
  const transport = await open(talker());
  const messages: UIMessage[] = [{ id: "a", role: "assistant", parts: [] }];
  await expect(transport.sendMessages(sending(messages))).rejects.toMatchObject({ code: "usage" });
  expect(seen).toEqual([]);
});

test.each<[string, object]>([
  ["regenerate()", { trigger: "regenerate-message" }],
  ["sendMessage() without a message", { messageId: "q1" }],
])(
  "%s sends a message that the server does not have, and reads on after a lost connection",
  async (_, given) => {
    const transport = await open(talker());
    instead = [
      async () => {
        const run = c.session("ann 1", { create: true }).send(ASKED, { id: "q1" });
        const whole = await run.toUIMessageResponse().text();
        return new Response(whole.slice(0, whole.indexOf("Ulm.")));
      },
    ];
    expect(await textOf(await transport.sendMessages(sending([question("q1")], given)))).toBe("In Ulm.");
    expect(seen).toHaveLength(2);
    expect((await c.session("ann 1").chat()).messages).toHaveLength(2);
  },
);

test("a different answer and a different text are refused with the message of the server", async () => {
  const transport = await open(talker());
  await textOf(await transport.sendMessages(sending([question("q1")])));
  const again = { trigger: "regenerate-message" };
  await expect(transport.sendMessages(sending([question("q1")], again))).rejects.toMatchObject({
    code: "usage",
  });
  const changed = sending([question("q1", "When?")], { messageId: "q1" });
  await expect(transport.sendMessages(changed)).rejects.toMatchObject({ code: "conflict" });
});

test("a busy proxy and a lost answer are tried again, and the message is sent once", async () => {
  const transport = await open(talker());
  instead = [
    () => new Response("<html>busy</html>", { status: 503 }),
    () => Promise.reject(new TypeError("fetch failed")),
    // The server stores the message, but its answer is lost.
    async () => {
      await c.session("ann 1", { create: true }).send(ASKED, { id: "q1" });
      throw new TypeError("fetch failed");
    },
  ];
  expect(await textOf(await transport.sendMessages(sending([question("q1")])))).toBe("In Ulm.");
  expect(seen).toHaveLength(4);
  expect((await c.session("ann 1").chat()).messages).toHaveLength(2);
});

test("a refusal of the server arrives in its words, at once", async () => {
  const transport = await open(talker());
  allowed = { sessions: "*", access: "read" };
  await expect(transport.sendMessages(sending([question("q1")]))).rejects.toMatchObject({
    code: "forbidden",
  });
  expect(seen).toHaveLength(1);
});

test("if the server is away for longer than the transport waits, the chat reports a lost connection", async () => {
  const transport = await open(talker(), {
    patienceMs: 150,
    fetch: () => Promise.reject(new TypeError("fetch failed")),
  });
  const tab = await Tab.open(
    "ann 1",
    new ContinuoChatTransport({ url: "http://desk.example", fetch: noChat }),
  );
  expect(tab.messages).toEqual([]);
  await expect(transport.load("ann 1")).rejects.toThrow("fetch failed");
  await expect(transport.sendMessages(sending([question("q1")]))).rejects.toThrow("fetch failed");
});

const noChat: typeof fetch = () => Promise.resolve(Response.json({ messages: [], open: [] }));

test("a client that leaves an answer does not end it, and receives the rest of it later", async () => {
  const transport = await open(talker());
  await textOf(await transport.sendMessages(sending([question("q1")])));
  const leaving = new AbortController();
  const stream = await transport.sendMessages(sending([question("q2")], { abortSignal: leaving.signal }));
  const reader = stream.getReader();
  for (let text = ""; !text.includes("On "); ) text += JSON.stringify((await reader.read()).value);
  leaving.abort();
  await expect(reader.read()).rejects.toThrow("abort");
  expect(await c.session("ann 1").run("q2")).toMatchObject({ status: "running" });
  const again = transport.reconnectToStream({ chatId: "ann 1" }).then(textOf);
  await transport.stop("ann 1", { reason: "enough" });
  expect(await again).toBe("On ");
  expect(await c.session("ann 1").run("q2").result()).toMatchObject({
    status: "cancelled",
    reason: "enough",
  });
});

test("a message whose page is left before the server has answered is sent nevertheless", async () => {
  const transport = await open(talker());
  const leaving = new AbortController();
  const sent = transport.sendMessages(sending([question("q1")], { abortSignal: leaving.signal }));
  leaving.abort();
  await expect(sent).rejects.toThrow("abort");
  expect(await textOf(await transport.reconnectToStream({ chatId: "ann 1" }))).toBe("In Ulm.");
});

test("a question of the agent is answered once", async () => {
  const asking: Agent = {
    name: "asking",
    execute: async ({ run }, { onEvent, onPermission, signal }) => {
      const call = { toolCallId: "c1", toolName: "refund", toolInput: { euros: 20 } };
      await onEvent({ type: "tool_call", ...call });
      const request = { ...call, approvalId: run.runId, readOnly: false, options: [] };
      await onEvent({ type: "permission_request", ...request });
      const decision = (await onPermission?.(request, { signal })) ?? { outcome: "denied", by: "policy" };
      await onEvent({ type: "permission_decision", approvalId: run.runId, ...decision });
      return {};
    },
  };
  const transport = await open(asking);
  for await (const chunk of await transport.sendMessages(sending([question("q1")]))) {
    if (chunk.type !== "tool-approval-request") continue;
    await transport.answerApproval(chunk.approvalId, { approved: true, reason: "a regular customer" });
    const other = transport.answerApproval(chunk.approvalId, { approved: false });
    await expect(other).rejects.toMatchObject({ code: "conflict" });
  }
  const part = (await transport.load("ann 1")).at(-1)?.parts.at(-1);
  expect(part).toMatchObject({
    type: "tool-refund",
    approval: { approved: true, reason: "a regular customer" },
  });
});

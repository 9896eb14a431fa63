/**
 * Bodies, answers and events of sessions and approvals, and every route of the server, agree with `protocol/http.json`.
 */

import type { Agent } from "@continuo/core/model";
import { createAuthenticate, createServer } from "@continuo/server";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { recordingMachine } from "../server/harness/recording-store.ts";
import { checkOfEndpoint, readSchemas } from "./schemas.ts";

const { endpoints = {} } = readSchemas("http");

const asking: Agent = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const options = [{ id: "once", name: "Once", kind: "allow_once" }] as const;
    const toolInput = { order: 7 };
    const request = { approvalId: run.runId, toolName: "refund", toolInput, readOnly: false, options };
    await onEvent({ type: "permission_request", ...request });
    await onPermission?.(request, { signal });
    await onEvent({ type: "text", delta: "Done." });
    return {};
  },
};

/** An agent that sends one word at a time, with pauses in which the previous word is stored. */
const talking: Agent = {
  name: "talking",
  async execute(_, { onEvent }) {
    for (const delta of ["One", " two", " three."]) {
      await onEvent({ type: "text", delta });
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return {};
  },
};

let c: Continuo;
let handler: ReturnType<Continuo["handler"]>;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent(), asking, talking], pollMs: 10 });
  handler = c.handler({ authorize: () => ({ sessions: "*", access: "write", approve: true, by: "ann" }) });
});
afterEach(() => c.close({ graceMs: 0 }));

/** The schema of a part of an endpoint. */
function checkAt(endpoint: string, part: string): (value: unknown) => string {
  expect(Object.keys(endpoints)).toContain(endpoint);
  return checkOfEndpoint(endpoint, part);
}

async function send(path: string, method: string, body?: object): Promise<Response> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  return await handler(new Request(`http://desk.example/v1${path}`, init));
}

/** Sends a body that its schema allows, and returns the answer that its schema allows. */
async function ask(endpoint: string, path: string, body?: object): Promise<unknown> {
  const [method = ""] = endpoint.split(" ");
  if (body !== undefined) expect([endpoint, checkAt(endpoint, "body")(body)]).toEqual([endpoint, ""]);
  const response = await send(path, method, body);
  const answer: unknown = await response.json();
  expect([endpoint, response.ok, response.ok || answer]).toEqual([endpoint, true, true]);
  expect([endpoint, checkAt(endpoint, "answer")(answer)]).toEqual([endpoint, ""]);
  return answer;
}

/** Returns the names of the events of a stream that ends, and checks the data of each event by its schema. */
async function pushed(endpoint: string, response: Response): Promise<readonly string[]> {
  expect(response.status).toBe(200);
  const names: string[] = [];
  for (const block of (await response.text()).split("\n\n")) {
    const [, data] = /^data: (.*)$/mu.exec(block) ?? [];
    if (data === undefined || data === "[DONE]") continue;
    const [, name = "message"] = /^event: (.*)$/mu.exec(block) ?? [];
    const problem = checkAt(endpoint, `events/${name}`)(JSON.parse(data));
    expect([endpoint, name, problem]).toEqual([endpoint, name, ""]);
    names.push(name);
  }
  return names;
}

const SESSION = "/v1/sessions/ID";
const CHAT = `${SESSION}/chat`;

test("bodies, answers and events of sessions are as their schemas say", async () => {
  await ask(`POST ${SESSION}/messages`, "/sessions/s/messages", { text: "hello", id: "1" });
  await ask(`POST ${SESSION}/messages`, "/sessions/s/messages", { text: "hi", agent: "echo", id: null });
  const run = await send("/sessions/s/runs/1/events", "GET");
  expect(await pushed(`GET ${SESSION}/runs/RUN/events`, run)).toContain("end");
  expect(await ask(`GET ${SESSION}`, "/sessions/s")).toMatchObject({ sessionId: "s" });
  const parts = [{ type: "text", text: "again" }];
  const body = { messages: [{ id: "2", role: "user", parts }], trigger: "submit-message" };
  expect(checkAt(`POST ${CHAT}`, "body")(body)).toBe("");
  const answer = await send("/sessions/s/chat", "POST", body);
  expect((await pushed(`POST ${CHAT}`, answer)).length).toBeGreaterThan(2);
  const { messages } = (await ask(`GET ${CHAT}`, "/sessions/s/chat")) as { messages: { id: string }[] };
  const stream = await send(`/sessions/s/chat/stream?open=${messages.at(-1)?.id}`, "GET");
  expect((await pushed(`GET ${CHAT}/stream`, stream)).length).toBeGreaterThan(2);
  expect((await send("/sessions/s/chat/page-1/stream", "GET")).status).toBe(204);
  await ask(`POST ${CHAT}/stop`, "/sessions/s/chat/stop", { reason: "lunch" });
});

test("the events of a session are as their schema says, and have no hashes", async () => {
  await ask(`POST ${SESSION}/messages`, "/sessions/s/messages", { text: "hello", id: "1" });
  await c.session("s").run("1").result();
  const reader = new AbortController();
  const request = new Request("http://desk.example/v1/sessions/s/events", { signal: reader.signal });
  let text = "";
  for await (const part of (await handler(request)).body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.includes("run_completed")) break;
  }
  reader.abort();
  const whole = text.slice(0, text.lastIndexOf("\n\n"));
  expect((await pushed(`GET ${SESSION}/events`, new Response(whole))).length).toBeGreaterThan(3);
  expect(whole).not.toContain("payloadHash");
});

test("the stream of a chat for pages is as its schema says, while an answer is written and after it", async () => {
  await c.session("s", { create: true }).append("custom", { name: "begin" });
  const reader = new AbortController();
  const request = new Request("http://desk.example/v1/sessions/s/chat/events", { signal: reader.signal });
  const response = await handler(request);
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    if (text === "") await c.session("s").send("hello", { id: "1", agent: "talking" });
    text += part;
    if (text.includes('"type":"end"')) break;
  }
  reader.abort();
  const whole = text.slice(0, text.lastIndexOf("\n\n"));
  const stream = new Response(whole);
  expect((await pushed(`GET ${CHAT}/events`, stream)).length).toBeGreaterThan(2);
  const types = [...whole.matchAll(/^data: \{"type":"(\w+)"/gmu)].map(([, type]) => type);
  expect(new Set(types)).toEqual(new Set(["chat", "message", "begin", "change", "end"]));
  expect(checkAt(`GET ${CHAT}/events`, "events/message")({ type: "later" })).not.toBe("");
});

test("the pages of a session have the media type that the schemas name", async () => {
  await c.session("s", { create: true }).send("hello", { id: "1" }).result();
  for (const [endpoint, path] of [
    [`GET ${SESSION}/html`, "/sessions/s/html"],
    [`GET ${CHAT}/html`, "/sessions/s/chat/html"],
    ["GET /v1/client.js", "/client.js"],
  ] as const) {
    const response = await send(path, "GET");
    expect([endpoint, response.status]).toEqual([endpoint, 200]);
    expect(response.headers.get("content-type")).toContain(String(endpoints[endpoint]?.content));
  }
});

test("a question and its answer are as their schemas say", async () => {
  await ask(`POST ${SESSION}/messages`, "/sessions/s/messages", { text: "refund", id: "1", agent: "asking" });
  await expect.poll(async () => await c.approvals.list({ status: "open" })).toHaveLength(1);
  const [approval] = (await ask("GET /v1/approvals", "/approvals?status=open")) as { id: string }[];
  const answer = { outcome: "granted", reason: "paid twice" };
  await ask("POST /v1/approvals/ID", `/approvals/${approval?.id}`, answer);
  expect(await ask("GET /v1/approvals", "/approvals?status=granted")).toMatchObject([
    { status: "granted", by: "ann", reason: "paid twice" },
  ]);
});

test("the server refuses every body that its schema refuses, with an error of the schema", async () => {
  await c.session("s", { create: true }).append("custom", { name: "begin" });
  const wrong: readonly (readonly [string, string, object])[] = [
    [`POST ${SESSION}/messages`, "/sessions/s/messages", {}],
    [`POST ${SESSION}/messages`, "/sessions/s/messages", { text: 7 }],
    [`POST ${SESSION}/messages`, "/sessions/s/messages", { text: "x", id: 7 }],
    [`POST ${SESSION}/messages`, "/sessions/s/messages", { text: "x", again: "yes" }],
    [`POST ${CHAT}`, "/sessions/s/chat", { messages: "x" }],
    [`POST ${CHAT}/stop`, "/sessions/s/chat/stop", { open: "x" }],
    [`POST ${CHAT}/stop`, "/sessions/s/chat/stop", { reason: 7 }],
  ];
  for (const [endpoint, path, body] of wrong) {
    expect([endpoint, body, checkAt(endpoint, "body")(body)]).not.toEqual([endpoint, body, ""]);
    const response = await send(path, "POST", body);
    expect([endpoint, body, response.status]).toEqual([endpoint, body, 400]);
    expect(checkAt("*", "error")(await response.json())).toBe("");
  }
});

test("every route of the server has a schema, or the media type of its answer", async () => {
  await using store = await openStore("memory:");
  const front = await openContinuo(store, { work: false });
  const server = createServer({
    store: (workspaceId, by) => store.forWorkspace(workspaceId, by),
    authenticate: createAuthenticate(store),
    live: { workspaceIds: [], role: "reader" },
    sessions: () => front,
    mcp: { fetch: async () => Response.json({}), close: async () => undefined },
    machine: async () => recordingMachine([]),
  });
  const shapeOf = (path: string): string =>
    path
      .replace(/\?.*$/u, "")
      .replaceAll(/:\w+(?:\{[^}]*\})?/gu, "*")
      .replaceAll(/\b[A-Z]+\b/gu, "*");
  const known = new Set(
    Object.keys(endpoints).map((endpoint) => {
      const [method = "", path = ""] = endpoint.split(" ");
      return `${method} ${shapeOf(path)}`;
    }),
  );
  const routes = server.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
    .map(({ method, path }) => `${method} ${shapeOf(path)}`);
  expect([...new Set(routes)].filter((route) => !known.has(route)).sort()).toEqual([]);
  await server.close();
  await front.close();
});

/** The handler of fetch requests. */

import type { Agent } from "@continuo/core/model";
import {
  type Approval,
  type Authorization,
  type Chat,
  type Continuo,
  openContinuo,
  toErrorResponse,
} from "@continuo/server/runtime";
import { DefaultChatTransport } from "ai";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
let app: Hono;
const asking: Agent = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const request = { approvalId: run.runId, toolName: "rm", readOnly: false, options: [] };
    await onEvent({ type: "permission_request", ...request });
    const decision = (await onPermission?.(request, { signal })) ?? { outcome: "denied", by: "policy" };
    await onEvent({ type: "permission_decision", approvalId: run.runId, ...decision });
    await onEvent({ type: "message", content: [{ type: "text", text: `it was ${decision.outcome}` }] });
    return {};
  },
};

const USERS: Readonly<Record<string, Authorization>> = {
  ann: { sessions: ["ann"], access: "write", by: "ann" },
  customer: { sessions: ["ann"], access: "chat" },
  bob: { sessions: ["bob"], access: "read" },
  owner: { sessions: "*", access: "write", logs: true },
  member: { channels: ["team"], access: "write", by: "member" },
  boss: { sessions: "*", access: "read", approve: true, by: "boss" },
  clerk: { sessions: ["ann"], access: "read", approve: true, by: "clerk" },
};

beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent(), asking], pollMs: 20 });
  app = new Hono();
  app.mount(
    "/continuo",
    c.handler({ authorize: (request) => USERS[request.headers.get("authorization") ?? ""] ?? null }),
  );
});
afterEach(() => c.close({ graceMs: 0 }));

async function as(user: string, path: string, body?: unknown): Promise<Response> {
  return await app.request(`/continuo/v1${path}`, {
    headers: { authorization: user },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
}

describe("the handler", () => {
  test("refuses unknown callers, and permits each only their own sessions and actions", async () => {
    expect((await as("nobody", "/sessions/ann")).status).toBe(401);
    expect((await as("ann", "/sessions/ann/messages", { text: "hello", id: "1" })).status).toBe(202);
    expect(await c.session("ann").run("1").result()).toMatchObject({ text: "hello" });
    expect(await (await as("ann", "/sessions/ann")).json()).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant" }],
    });
    expect((await as("bob", "/sessions/ann")).status).toBe(404);
    expect((await as("bob", "/sessions/ann/html")).status).toBe(404);
    expect((await as("bob", "/sessions/bob/messages", { text: "x" })).status).toBe(403);
    expect((await as("boss", "/sessions/ann/messages", { text: "x" })).status).toBe(403);
    expect(await (await as("boss", "/sessions/ann/html")).text()).toContain("hello");
    expect((await as("ann", "/nothing")).status).toBe(404);
    expect((await as("ann", "/sessions/ann", {})).status).toBe(404);
    expect((await app.request("/continuo/sessions/ann")).status).toBe(404);
    expect((await as("ann", "/sessions/ann/messages", { text: 7 })).status).toBe(400);
    expect((await as("ann", "/sessions/ann/messages", { text: "x".repeat(4_194_305) })).status).toBe(413);
  });

  test("lets nobody delete a channel, and only a person with `logs` delete a session", async () => {
    await c.store.createLog({ logId: "channels/team" });
    await c.store.createSession({ sessionId: "ann" });
    const drop = async (user: string, path: string): Promise<number> =>
      (
        await app.request(`/continuo/v1/stream/${path}`, {
          method: "DELETE",
          headers: { authorization: user },
        })
      ).status;
    expect(await drop("member", "channels/team")).toBe(403);
    expect(await drop("ann", "sessions/ann")).toBe(403);
    expect(await drop("owner", "sessions/ann")).toBe(204);
    expect(await c.store.getLog("channels/team")).not.toBeNull();
  });

  test("streams the events of a session and of a run", async () => {
    await as("ann", "/sessions/ann/messages", { text: "hello", id: "1" });
    const run = await (await as("ann", "/sessions/ann/runs/1/events")).text();
    expect(run).toContain('"type":"run_completed"');
    expect((await as("ann", "/sessions/ann/runs/2/events")).status).toBe(404);
    const session = await as("ann", "/sessions/ann/events");
    expect(session.headers.get("content-type")).toContain("text/event-stream");
    await session.body?.cancel();
  });

  test("answers the requests of useChat, and a message that is sent twice only once", async () => {
    const message = { id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] };
    for (let n = 0; n < 2; n++) {
      const response = await as("ann", "/sessions/ann/chat", {
        id: "x",
        messages: [message],
        trigger: "submit-message",
      });
      expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
      expect(await response.text()).toContain('"delta":"hello"');
    }
    expect(await c.session("ann").messages()).toHaveLength(2);
    expect((await as("ann", "/sessions/ann/chat", { messages: [] })).status).toBe(400);
  });

  test("streams, stops and lists a chat for authorized callers", async () => {
    const image = { type: "file", mediaType: "image/png", url: "data:image/png;base64,aGk=" };
    const message = { id: "m1", role: "user", parts: [{ type: "text", text: "hello" }, image] };
    await (await as("ann", "/sessions/ann/chat", { messages: [message] })).text();
    const chat = (await (await as("ann", "/sessions/ann/chat")).json()) as Chat;
    expect(chat).toMatchObject({ messages: [message, { role: "assistant" }], open: [] });
    const [, { id } = { id: "" }] = chat.messages;
    expect((await as("ann", "/sessions/ann/chat/stream")).status).toBe(204);
    // The default transport of `useChat` sends this request when a page is loaded again.
    const transport = new DefaultChatTransport({
      api: "http://desk.example/continuo/v1/sessions/ann/chat",
      headers: { authorization: "ann" },
      fetch: async (url, init) => await app.request(String(url), init),
    });
    expect(await transport.reconnectToStream({ chatId: "page-1" })).toBeNull();
    expect(await (await as("boss", `/sessions/ann/chat/stream?open=${id}`)).text()).toContain(
      '"delta":"hello"',
    );
    expect((await as("ann", "/sessions/ann/chat/stream?open=none")).status).toBe(404);
    expect(await (await as("ann", "/sessions/ann/chat/stop", {})).json()).toEqual({ stopped: [] });
    expect((await as("boss", "/sessions/ann/chat/stop", {})).status).toBe(403);
    expect((await as("ann", "/sessions/ann/chat/stop", { open: "all" })).status).toBe(400);
    for (const path of ["/chat", "/chat/stream", "/chat/page-1/stream"]) {
      expect((await as("bob", `/sessions/ann${path}`)).status).toBe(404);
    }
    expect((await as("bob", "/sessions/ann/chat/stop", {})).status).toBe(404);
  });

  test("a chat that nobody has begun is empty for those who may begin it, and not found for all others", async () => {
    const paths = ["/chat", "/chat/html", "/chat/stream", "/chat/page-1/stream", "/chat/stream?open=a"];
    const answers = async (user: string): Promise<readonly (readonly [number, string])[]> =>
      await Promise.all(
        paths.map(async (path) => {
          const response = await as(user, `/sessions/ann${path}`);
          return [response.status, await response.text()] as const;
        }),
      );
    for (const user of ["ann", "customer", "owner"]) {
      const [chat, html, ...streams] = await answers(user);
      expect([chat?.[0], JSON.parse(chat?.[1] ?? "")]).toEqual([200, { messages: [], open: [] }]);
      expect(html).toEqual([200, expect.stringContaining("<h1><bdi>Chat</bdi></h1>\n<main>\n</main>")]);
      for (const stream of streams) expect(stream).toEqual([204, ""]);
      expect(await (await as(user, "/sessions/ann/chat/stop", {})).json()).toEqual({ stopped: [] });
    }
    const isMissing = (status: number): boolean => status === 404;
    expect((await answers("boss")).map(([status]) => status)).toSatisfy((all: number[]) =>
      all.every(isMissing),
    );
    const before = await answers("bob");
    expect(before.map(([status]) => status)).toSatisfy((all: number[]) => all.every(isMissing));
    expect(await c.store.getSession("ann")).toBeNull();
    await c.session("ann", { create: true }).send("hello").result();
    expect(await answers("bob")).toEqual(before);
    expect((await as("ann", "/sessions/ann/chat/stream?open=a")).status).toBe(404);
  });

  test.each([
    ["a message in the agent's name", { role: "assistant" }],
    ["an answer that was approved in a page", { role: "assistant", messageId: "m1" }],
    ["a message without an id, to be answered again", { id: undefined, trigger: "regenerate-message" }],
  ])("refuses %s in a chat", async (_, { role = "user", ...given }: Record<string, string | undefined>) => {
    const { id, ...body } = { id: "m1", ...given };
    const messages = [{ id, role, parts: [{ type: "text", text: "hello" }] }];
    expect((await as("ann", "/sessions/ann/chat", { messages, ...body })).status).toBe(400);
    expect(await c.store.latestSequence("ann").catch(() => 1)).toBe(1);
  });

  test.each([
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data",
    "/etc/passwd",
    "data:text/plain,words",
  ])("refuses the file %s in a chat, which the agent would fetch for a customer", async (url) => {
    const parts = [
      { type: "text", text: "hello" },
      { type: "file", mediaType: "image/png", url },
    ];
    const messages = [{ id: "m1", role: "user", parts }];
    expect((await as("ann", "/sessions/ann/chat", { messages })).status).toBe(400);
    expect(await c.store.latestSequence("ann").catch(() => 1)).toBe(1);
  });

  test("accepts answers to approvals with a separate scope, and records the author", async () => {
    const run = c.session("ann", { create: true }).send("may I?", { agent: "asking" });
    await expect
      .poll(async () => ((await (await as("boss", "/approvals")).json()) as Approval[]).length)
      .toBe(1);
    const [approval] = (await (await as("boss", "/approvals")).json()) as Approval[];
    expect(await (await as("bob", "/approvals")).json()).toEqual([]);
    const path = `/approvals/${approval?.id}`;
    expect((await as("ann", path, { outcome: "granted" })).status).toBe(403);
    expect((await as("boss", path, { outcome: "perhaps" })).status).toBe(400);
    expect((await as("boss", "/approvals/none", { outcome: "granted" })).status).toBe(404);
    expect(await (await as("boss", path, { outcome: "granted" })).json()).toMatchObject({
      status: "granted",
      by: "boss",
    });
    expect(await run.result()).toMatchObject({ text: "it was granted" });
    expect((await as("boss", path, { outcome: "denied" })).status).toBe(409);
  });

  test("reports for a late answer to an approval that its run has ended", async () => {
    const run = c.session("ann", { create: true }).send("may I?", { agent: "asking" });
    await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(1);
    const [approval] = await c.approvals.list({ status: "open" });
    await run.cancel();
    expect(await run.result()).toMatchObject({ status: "cancelled" });
    const late = await as("boss", `/approvals/${approval?.id}`, { outcome: "granted" });
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { error: { code: "run_ended", details: { status: "cancelled" } } },
    ]);
  });
});

test("readers without rights on the machine see no folders and files of it", async () => {
  const FOLDER = "/srv/customers/ann";
  const ref = { sessionId: "native-1", location: `${FOLDER}/native.jsonl`, cwd: FOLDER };
  const metadata = { providerSessionId: "native-1", providerSessions: { asking: { ...ref, state: "live" } } };
  const session = c.session("ann", { create: true, cwd: FOLDER, metadata: { customer: 7 } });
  const run = session.send("may I?", { id: "1", agent: "asking" });
  await run;
  await c.store.updateSession("ann", { metadata });
  const resumed = { requested: "auto", happened: "native", ref: { agent: "asking", ...ref } };
  await c.store.append("ann", [
    { type: "session_resumed", data: resumed },
    { type: "error_raised", data: { message: "no room", code: "too_large", details: { folder: FOLDER } } },
  ]);
  const next = session.send("and this?", { id: "2", agent: "asking" });
  await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(1);
  await c.approvals.resolve((await c.approvals.list({ status: "open" }))[0]?.id ?? "", {
    outcome: "granted",
  });
  await run.result();
  await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(1);

  const listed = (await (await as("boss", "/approvals")).json()) as Approval[];
  expect(listed).toMatchObject([{ metadata: { customer: 7 } }]);
  const answered = await as("boss", `/approvals/${listed[0]?.id}`, { outcome: "granted" });
  await next.result();
  const texts = [
    JSON.stringify(listed),
    await answered.text(),
    await (await as("boss", "/approvals?status=granted")).text(),
    await (await as("ann", "/sessions/ann")).text(),
    await (await as("ann", "/sessions/ann/html")).text(),
    await (await as("ann", "/sessions/ann/runs/2/events")).text(),
    await newest(await as("ann", "/sessions/ann/events"), /run_completed.*run_completed/su),
  ];
  for (const text of texts) expect(text).not.toMatch(/\/srv\/customers|providerSession/u);
});

test("only callers that the program names can read the stored log of a session", async () => {
  const session = c.session("ann", { create: true, cwd: "/srv/customers/ann" });
  await session.send("hello", { id: "1" }).result();
  const log = "/stream/sessions/ann";
  const forged = { type: "approval_resolved", data: { approvalId: "a", outcome: "granted", by: "boss" } };
  const fork = { "stream-forked-from": "/v1/stream/sessions/ann" };
  const headers = { authorization: "ann", "content-type": "application/json" };
  for (const response of [
    await as("ann", `${log}?offset=-1`),
    await as("ann", `${log}?offset=-1&live=sse`),
    await as("ann", log, forged),
    await app.request(`/continuo/v1${log}`, { method: "HEAD", headers }),
    await app.request(`/continuo/v1${log}`, { method: "DELETE", headers }),
    await app.request(`/continuo/v1${log}`, { method: "PUT", headers: { ...headers, ...fork } }),
  ]) {
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain("/srv");
  }
  const { events } = await c.store.read("ann", {});
  expect(events.map(({ type }) => type)).not.toContain("approval_resolved");
  const stored = await as("owner", `${log}?offset=-1`);
  expect(stored.status).toBe(200);
  expect(await stored.text()).toContain("/srv/customers/ann");
});

/** Reads the text of an open stream until it contains the words. */
async function newest({ body }: Response, words: RegExp): Promise<string> {
  let text = "";
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (words.test(text)) break;
  }
  return text;
}

test("an expected failure in a route of the program gives the server's answer, and other errors are thrown on", async () => {
  app.onError(toErrorResponse);
  app.post("/answer/:id", async (x) =>
    x.json(await c.approvals.resolve(x.req.param("id"), { outcome: "granted" })),
  );
  app.get("/mistake", () => {
    throw new TypeError("a mistake");
  });
  app.get("/teapot", () => {
    throw new HTTPException(418, { message: "no coffee" });
  });
  const refused = await app.request("/answer/none", { method: "POST" });
  const page = "docs/errors.md#not_found";
  expect([refused.status, await refused.json()]).toEqual([
    404,
    { error: { code: "not_found", message: "there is no approval none", hint: null, details: {}, page } },
  ]);
  const own = await app.request("/teapot");
  expect([own.status, await own.text()]).toEqual([418, "no coffee"]);
  await expect((async () => await app.request("/mistake"))()).rejects.toThrow(TypeError);
});

test("a body that is not JSON in a route of the program gives 400, without the text of the body", async () => {
  app.onError(toErrorResponse);
  app.post("/ask", async (x) => x.json(await x.req.json()));
  app.get("/grammar", () => {
    throw new SyntaxError("Invalid regular expression: missing /");
  });
  app.post("/native", async (x) => x.json(await x.req.raw.json()));
  for (const path of ["/ask", "/native"]) {
    for (const body of ["{secret", '{"a":', "", "{'a': 1}", '"open', "[1,]"]) {
      const answer = await app.request(path, { method: "POST", body });
      expect(answer.status).toBe(400);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect(error).toMatchObject({ code: "invalid", message: "the body is not JSON" });
    }
    expect((await app.request(path, { method: "POST", body: '{"a":1}' })).status).toBe(200);
  }
  await expect((async () => await app.request("/grammar"))()).rejects.toThrow(SyntaxError);
});

test("a body that a schema refuses in a route of the program gives 400, with the paths and without the values", async () => {
  app.onError(toErrorResponse);
  const Job = z.object({ name: z.string(), steps: z.array(z.object({ run: z.string() })) });
  app.post("/zod", async (x) => x.json(Job.parse(await x.req.json())));
  const Third = z3.object({ name: z3.string(), steps: z3.array(z3.object({ run: z3.string() })) });
  app.post("/zod3", async (x) => x.json(Third.parse(await x.req.json())));
  // Valibot and others name a key by an object.
  app.post("/standard", async (x) => {
    const { issues = [], ...result } = await Job["~standard"].validate(await x.req.json());
    const named = issues.map((issue) => ({ ...issue, path: issue.path?.map((key) => ({ key })) }));
    if (issues.length > 0) throw Object.assign(new Error("refused"), { issues: named });
    return x.json(result);
  });
  app.get("/other", () => {
    throw Object.assign(new Error("no schema"), { issues: [7] });
  });
  const wrong = JSON.stringify({ steps: [{ run: "build" }, { run: 4_711 }] });
  for (const path of ["/zod", "/zod3", "/standard"]) {
    const answer = await app.request(path, { method: "POST", body: wrong });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: {
          code: "invalid",
          message: "the body does not have the expected form: name, steps.1.run",
          hint: "Correct these values, and send the request again.",
          details: { issues: [{ path: "name" }, { path: "steps.1.run" }] },
          page: "docs/errors.md#invalid",
        },
      },
    ]);
    const whole = await app.request(path, { method: "POST", body: "4711" });
    expect(JSON.stringify([whole.status, await whole.json()])).toMatch(/^\[400,.*expected form",/u);
    const right = JSON.stringify({ name: "job", steps: [] });
    expect((await app.request(path, { method: "POST", body: right })).status).toBe(200);
  }
  await expect((async () => await app.request("/other"))()).rejects.toThrow("no schema");
});

test("a refusal refers its reader to the program, which has no tokens of Continuo", async () => {
  const refusals = [
    await as("nobody", "/sessions/ann"),
    await as("bob", "/sessions/bob/messages", { text: "x" }),
    await as("ann", "/stream/sessions/ann?offset=-1"),
  ];
  c.session("ann", { create: true }).send("may I?", { agent: "asking" });
  await expect.poll(async () => (await c.approvals.list()).length).toBe(1);
  const [approval] = await c.approvals.list();
  refusals.push(await as("ann", `/approvals/${approval?.id}`, { outcome: "granted" }));
  const upload = { method: "POST", body: "x", headers: { authorization: "bob" } };
  refusals.push(await app.request("/continuo/v1/blobs", upload));
  expect(refusals.map(({ status }) => status)).toEqual([401, 403, 403, 403, 403]);
  for (const refusal of refusals) expect(await refusal.text()).not.toMatch(/token|continuo /u);
});

test("the event of a question has the tool and its input, like the list of approvals", async () => {
  const session = c.session("ann", { create: true });
  const run = session.send("may I?", { agent: "asking" });
  for await (const event of run) {
    if (event.type !== "approval_requested") continue;
    expect(event.data.toolName).toBe("rm");
    expect(await c.approvals.resolve(event.data.approvalId, { outcome: "denied" })).toMatchObject({
      toolName: "rm",
      status: "denied",
    });
  }
  expect(await run.result()).toMatchObject({ text: "it was denied" });
});

/** A thousand questions of a session, which were answered long ago. */
async function storeOldApprovals(sessionId: string): Promise<void> {
  for (let n = 0; n < 1_000; n += 1) {
    const request = { approvalId: `a${n}`, readOnly: null, options: [] };
    const of = { sessionId, runId: `r${n}`, agent: "asking", metadata: {} };
    const data = { ...of, request, requestedAt: "2025-01-01T00:00:00.000Z" };
    await c.store.putClaim({
      name: `approval/old-${n}`,
      owner: `r${n}`,
      generation: 1,
      status: "denied",
      data,
    });
  }
}

test("an approval is found and answered even after a thousand older ones", async () => {
  await storeOldApprovals("ann");
  const run = c.session("ann", { create: true }).send("may I?", { agent: "asking" });
  const open = async () => (await (await as("boss", "/approvals")).json()) as Approval[];
  await expect.poll(async () => (await open()).length).toBe(1);
  const [approval] = await open();
  const answer = await as("boss", `/approvals/${approval?.id}`, { outcome: "granted" });
  expect(answer.status).toBe(200);
  expect(await c.approvals.get(approval?.id ?? "")).toMatchObject({ status: "granted" });
  expect(await c.approvals.get("nobody")).toBeNull();
  await run.result();
});

test("older questions in sessions of others take no place in the list of a person", async () => {
  await storeOldApprovals("bob");
  const run = c.session("ann", { create: true }).send("may I?", { agent: "asking" });
  const listed = async (status: string) =>
    (await (await as("clerk", `/approvals?status=${status}`)).json()) as Approval[];
  await expect.poll(async () => (await listed("open")).length).toBe(1);
  const [approval] = await listed("open");
  expect((await as("clerk", `/approvals/${approval?.id}`, { outcome: "denied" })).status).toBe(200);
  await run.result();
  expect(await listed("denied")).toMatchObject([{ sessionId: "ann" }]);
  expect(await listed("all")).toMatchObject([{ sessionId: "ann" }]);
  const wrong = await as("clerk", "/approvals?status=resolved");
  expect([wrong.status, await wrong.text()]).toEqual([
    400,
    expect.stringContaining("Use one of open, granted, denied, cancelled, or all."),
  ]);
});

test("a message that is refused creates no session", async () => {
  expect((await as("ann", "/sessions/ann/messages", { text: "" })).status).toBe(400);
  await expect(c.session("ann", { create: true }).send("x", { priority: 0.5 })).rejects.toThrow();
  expect(await c.store.getSession("ann")).toBeNull();
});

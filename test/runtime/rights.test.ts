/** The rights that `authorize` gives to people who choose their own names, including names that look like patterns. */

import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@continuo/core/client";
import type { Agent } from "@continuo/core/model";
import { type Authorization, type Continuo, type FetchHandler, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 20 });
  await c.session("customer-ann", { create: true }).send("my address", { id: "1" }).result();
});
afterEach(() => c.close({ graceMs: 0 }));

function handlerFor(rights: (user: string) => Authorization): FetchHandler {
  return c.handler({ authorize: (request) => rights(request.headers.get("x-user") ?? "") });
}

async function ask(handler: FetchHandler, user: string, path: string, body?: object): Promise<number> {
  const headers = { "x-user": user, "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await handler(new Request(`http://localhost/v1${path}`, { headers, ...sent }))).status;
}

test.each(["*", "a*", "ann*", ""])(
  "a customer with the name %j cannot read another customer's session",
  async (user) => {
    const handler = handlerFor((name) => ({ sessions: [`customer-${name}`], access: "write", by: name }));
    expect(await ask(handler, "ann", "/sessions/customer-ann")).toBe(200);
    expect(await ask(handler, user, "/sessions/customer-ann")).toBe(404);
    expect(await ask(handler, user, "/sessions/customer-ann/html")).toBe(404);
    expect(await ask(handler, user, "/sessions/customer-ann/messages", { text: "hello" })).toBe(404);
  },
);

test("a prefix allows exactly the names with this beginning", async () => {
  await c.session("staff-1", { create: true }).send("hello", { id: "1" }).result();
  const handler = handlerFor(() => ({ sessions: { beginsWith: ["customer-", "guest-"] }, access: "read" }));
  expect(await ask(handler, "eve", "/sessions/customer-ann")).toBe(200);
  expect(await ask(handler, "eve", "/sessions/staff-1")).toBe(404);
});

test.each([
  ["a text", "customer-*"],
  ["an empty beginning", { beginsWith: "" }],
  ["another object", { startsWith: "customer-" }],
])(
  "%s as the names of sessions allows nothing, and is reported as an error of the program",
  async (_, sessions) => {
    const handler = handlerFor(() => ({ sessions: sessions as never, access: "read" }));
    const status = await ask(handler, "ann", "/sessions/customer-ann").catch((error: unknown) => error);
    expect(status).toSatisfy((given) => given === 500 || given instanceof TypeError);
  },
);

test("a person with the name * cannot write in a channel under another name, unless any handle is allowed", async () => {
  const named = handlerFor((by) => ({ channels: "*", access: "write", by }));
  const message = { content: "hello", handle: "ann" };
  expect(await ask(named, "ann", "/channels/team/messages", message)).toBe(200);
  expect(await ask(named, "*", "/channels/team/messages", message)).toBe(403);
  const posting = handlerFor(() => ({ channels: "*", access: "write", by: "import", anyHandle: true }));
  expect(await ask(posting, "x", "/channels/team/messages", message)).toBe(200);
});

/** Paths of a session that a person with the access `chat` must not reach, and near misses of them. */
const NOT_CHAT = [
  "/sessions/customer-ann",
  "/sessions/customer-ann/html",
  "/sessions/customer-ann/events",
  "/sessions/customer-ann/runs/1/events",
  "/sessions/customer%2Dann/html",
  "/sessions/customer-ann/ht%6Dl",
  "/sessions/customer-ann/chat/../html",
  "/stream/sessions/customer-ann",
  "/stream/sessions%2Fcustomer-ann",
  "/channels/team/messages",
  "/live/customer-ann",
] as const;
/** Other spellings are other paths, and have no route. */
const NO_ROUTE = [
  "/SESSIONS/customer-ann/html",
  "/sessions/customer-ann/HTML",
  "/sessions/customer-ann/html/",
  "/sessions/CUSTOMER-ANN/chat",
  "/sessions/customer-ann/chat%2F..%2Fhtml",
  "/sessions/customer-ben/chat",
  "/sessions/customer-ben/chat/html",
  "/sessions//customer-ann",
] as const;

describe("access to chats", () => {
  const chatting = (by: string): Authorization => ({ sessions: [`customer-${by}`], access: "chat", by });
  const message = (text: string): object => ({
    messages: [{ id: text, role: "user", parts: [{ type: "text", text }] }],
  });

  test("reads, sends and stops in the chat of the person's own session", async () => {
    await c.session("customer-ben", { create: true }).send("hello", { id: "1" }).result();
    const handler = handlerFor(chatting);
    for (const path of ["/chat", "/chat/html"]) {
      expect(await ask(handler, "ann", `/sessions/customer-ann${path}`)).toBe(200);
    }
    expect(await ask(handler, "ann", "/sessions/customer-ann/chat", message("m1"))).toBe(200);
    expect(await ask(handler, "new", "/sessions/customer-new/chat", message("m1"))).toBe(200);
    await c.session("customer-ann").run("m1").result();
    expect(await ask(handler, "ann", "/sessions/customer-ann/chat/stream")).toBe(204);
    expect(await ask(handler, "ann", "/sessions/customer-ann/chat/page/stream")).toBe(204);
    expect(await ask(handler, "ann", "/sessions/customer-ann/chat/stop", {})).toBe(200);
  });

  test.each(NOT_CHAT)("refuses GET %s", async (path) => {
    expect(await ask(handlerFor(chatting), "ann", path)).toBe(403);
  });

  test.each(NO_ROUTE)("finds nothing at %s", async (path) => {
    expect(await ask(handlerFor(chatting), "ann", path)).toBe(404);
  });

  test.each([
    ["/sessions/customer-ann/messages", { text: "hello" }],
    ["/stream/sessions/customer-ann", []],
    ["/channels/team/messages", { content: "hello" }],
    ["/blobs", { text: "hello" }],
  ])("refuses POST %s, and stores nothing", async (path, body) => {
    const before = await c.store.latestSequence("customer-ann");
    expect(await ask(handlerFor(chatting), "ann", path, body)).toBe(403);
    expect(await c.store.latestSequence("customer-ann")).toBe(before);
  });

  test.each(["channels", "live", "streams"])("is a mistake of the program together with %s", async (kind) => {
    const handler = handlerFor((by) => ({ ...chatting(by), [kind]: "*" }));
    await expect(ask(handler, "ann", "/sessions/customer-ann/chat")).resolves.toBe(500);
  });
});

test.each([
  { access: "read", approve: true, status: 403 },
  { access: "chat", approve: true, status: 403 },
  { access: "write", approve: false, status: 201 },
] as const)(
  "a person with access $access, who answers approvals: $approve, adds a blob with status $status",
  async (allowed) => {
    const { status, ...rights } = allowed;
    const handler = handlerFor((by) => ({ sessions: [`customer-${by}`], ...rights, by }));
    expect(await ask(handler, "ann", "/blobs", { text: "hello" })).toBe(status);
  },
);

test("a person asks only the agents that they are allowed, and the first one by default", async () => {
  const other: Agent = {
    name: "other",
    async execute(_, { onEvent }) {
      await onEvent({ type: "message", content: [{ type: "text", text: "I am the other one." }] });
      return {};
    },
  };
  await c.close();
  c = await openContinuo("memory:", { agents: [new EchoAgent(), other], pollMs: 20 });
  const handler = handlerFor((by) => ({ sessions: [by], access: "write", agents: ["other"], by }));
  const send = (body: object): Promise<number> => ask(handler, "ann", "/sessions/ann/messages", body);
  expect(await send({ id: "1", text: "hello", agent: "echo" })).toBe(403);
  expect(await send({ id: "1", text: "hello", agent: "other" })).toBe(202);
  expect(await send({ id: "2", text: "hello" })).toBe(202);
  for (const id of ["1", "2"]) {
    expect(await c.session("ann").run(id).result()).toMatchObject({ text: "I am the other one." });
  }
  expect(
    await ask(
      handlerFor((by) => ({ sessions: [by], access: "chat", agents: [], by })),
      "ben",
      "/sessions/ben/chat",
      {
        messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "hello" }] }],
      },
    ),
  ).toBe(403);
});

test("a session that a person creates has the folder and the metadata that the program gives it", async () => {
  const handler = handlerFor((by) => ({
    sessions: { beginsWith: `${by}:` },
    access: "write",
    by,
    newSession: (id) => ({ cwd: `/srv/${id.slice(by.length + 1)}`, metadata: { user: by } }),
  }));
  expect(await ask(handler, "ann", "/sessions/ann:shop/messages", { id: "1", text: "hello" })).toBe(202);
  expect(await c.store.getSession("ann:shop")).toMatchObject({ cwd: "/srv/shop", metadata: { user: "ann" } });
  expect(await ask(handler, "ann", "/sessions/ben:shop/messages", { id: "1", text: "hello" })).toBe(404);
  expect(await c.store.getSession("ben:shop")).toBeNull();
  const moved = handlerFor(() => ({
    sessions: "*",
    access: "write",
    newSession: () => ({ cwd: "/srv/other", title: "other" }),
  }));
  expect(await ask(moved, "ann", "/sessions/ann:shop/messages", { id: "2", text: "hello" })).toBe(409);
  expect((await c.store.listRuns({ sessionId: "ann:shop" })).items).toHaveLength(1);
});

test("people who are put out lose their open connections, and the others keep theirs", async () => {
  const rights: Record<string, Authorization | null> = {};
  for (const by of ["ann", "ben", "cy", "dora"]) rights[by] = { channels: ["team"], access: "write", by };
  const handler = c.handler({
    authorize: ({ headers }) => rights[headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null,
  });
  await c.store.createLog({ logId: "channels/team" });
  const http = createServer().on("upgrade", handler.upgrade);
  await once(http.listen(0, "127.0.0.1"), "listening");
  const serverUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const clients = await Promise.all(
    Object.keys(rights).map((handle) => connect({ serverUrl, channel: "team", handle, token: handle })),
  );
  const ends = clients.map((client) => Array.fromAsync(client.events()).catch((error: unknown) => error));
  rights.ann = null;
  rights.ben = { channels: ["team"], access: "read", by: "ben" };
  rights.cy = { channels: ["team", "more"], access: "write", by: "cy" };
  rights.dora = { channels: ["team"], access: "write", by: "dora", handle: "eve" };
  const asked = new Map<string, unknown>();
  for (const [n, end] of ends.entries()) void end.then((error) => asked.set(`${n}`, error));
  await expect.poll(() => [...asked.keys()].toSorted(), { timeout: 15_000 }).toEqual(["0", "1", "3"]);
  for (const error of asked.values()) expect(error).toMatchObject({ code: "unauthorized" });
  await clients[2]?.send("still here");
  for (const client of clients) await client.close();
  await new Promise((resolve) => http.close(resolve));
}, 30_000);

test("a stream ends when one of its rights was taken away, and not when another one is added", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let sessions: readonly string[] = ["customer-ann", "other"];
  const inRequest = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const handler = handlerFor(() => {
    contexts.push(inRequest.getStore());
    return { sessions, access: "read", by: "ann" };
  });
  await inRequest.run("first", () => ask(handler, "ann", "/sessions/customer-ann"));
  const request = new Request("http://localhost/v1/sessions/customer-ann/events", {
    headers: { "x-user": "ann" },
  });
  const stream = await inRequest.run("stream", () => handler(request));
  let isOver = false;
  const text = stream.text().then(() => {
    isOver = true;
  });
  sessions = ["customer-ann", "other", "more"];
  await vi.advanceTimersByTimeAsync(6_000);
  expect(isOver).toBe(false);
  sessions = ["customer-ann"];
  await vi.advanceTimersByTimeAsync(6_000);
  vi.useRealTimers();
  await text;
  expect(isOver).toBe(true);
  // A framework that knows the request by its context, such as Next, sees the one that opened the stream.
  expect(contexts).toEqual(["first", "stream", "stream", "stream"]);
});

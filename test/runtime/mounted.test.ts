/** The server inside of a program: channels, streams and continuous sessions below a path that the program chooses. */

import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, watch } from "@continuo/core/client";
import { openLive } from "@continuo/core/client/live";
import type { Agent, ContinuoError } from "@continuo/core/model";
import { toNodeListener } from "@continuo/server";
import {
  type Approval,
  type Authorization,
  type Continuo,
  type FetchHandler,
  openContinuo,
} from "@continuo/server/runtime";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { said } from "../live/live-session.ts";

const PEOPLE: Readonly<Record<string, Authorization>> = {
  "Bearer ann": {
    sessions: { beginsWith: "ann-" },
    channels: ["team"],
    streams: { beginsWith: "orders/" },
    live: { beginsWith: "ann/" },
    access: "write",
    by: "ann",
  },
  "Bearer staff": { sessions: "*", access: "read", approve: true, by: "eve" },
  "Bearer guest": { sessions: ["guest-1"], access: "chat", approve: true, by: "guest" },
  "Bearer reader": { channels: ["team"], access: "read", by: "reader" },
};

const asking: Agent = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const request = { approvalId: run.runId, toolName: "rm", readOnly: false, options: [] };
    await onEvent({ type: "permission_request", ...request });
    const decision = (await onPermission?.(request, { signal })) ?? { outcome: "denied", by: "policy" };
    await onEvent({ type: "message", content: [{ type: "text", text: `it was ${decision.outcome}` }] });
    return {};
  },
};

const PATH = "/api/v1/shop";

/** Frameworks that forward the request of a route, and the servers below them. */
const MOUNTS: Readonly<Record<string, (handler: FetchHandler) => Server>> = {
  "node:http": (handler) => createServer(toNodeListener(handler)).on("upgrade", handler.upgrade),
  Hono: (handler) => {
    const app = new Hono().get("/", (x) => x.text("the shop"));
    app.mount(PATH, handler);
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    return server.on("upgrade", handler.upgrade);
  },
  /** `app/api/v1/shop/[...path]/route.ts`, which exports a function for each method. */
  Next: (handler) => {
    const route = { GET: handler, POST: handler, PUT: handler, DELETE: handler } as const;
    const called = async (request: Request): Promise<Response> => {
      const method = route[request.method as keyof typeof route];
      if (method === undefined) return new Response(null, { status: 405 });
      return await method(new NextRequest(request.url, request));
    };
    // WebSockets do not reach routes; the program's own server has them.
    return createServer(toNodeListener(called)).on("upgrade", handler.upgrade);
  },
};

/** A request as Next passes it to a route: an instance of its own class, with its own address. */
class NextRequest extends Request {
  readonly nextUrl = new URL(this.url);
}

describe.each(Object.entries(MOUNTS))("mounted in %s", (_, mount) => {
  let c: Continuo;
  let http: Server;
  let serverUrl: string;
  let asked: Request[];
  let told: unknown[];

  beforeEach(async () => {
    asked = [];
    told = [];
    const onError = (error: unknown): void => void told.push(error);
    c = await openContinuo("memory:", { agents: [new EchoAgent(), asking], pollMs: 20, onError });
    const handler: FetchHandler = c.handler({
      authorize: (request) => {
        asked.push(request);
        return PEOPLE[request.headers.get("authorization") ?? ""] ?? null;
      },
    });
    http = mount(handler);
    if (!http.listening) await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    serverUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}${PATH}`;
  });
  afterEach(async () => {
    await c.close({ graceMs: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  function as(person: string, path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${serverUrl}/v1${path}`, { ...init, headers: { authorization: `Bearer ${person}` } });
  }

  test("a person sends messages and follows their answers, and the staff answers an agent's questions", async () => {
    const send = async (person: string, path: string, body: object): Promise<Response> =>
      await as(person, path, { method: "POST", body: JSON.stringify(body) });
    await c.session("ann-1", { create: true });
    expect((await send("ann", "/sessions/ann-1/messages", { text: "hello", id: "1" })).status).toBe(202);
    const answer = await (await as("ann", "/sessions/ann-1/runs/1/events")).text();
    expect(answer).toContain("event: end");
    expect(await (await as("ann", "/sessions/ann-1/html")).text()).toContain("hello");
    const chat = await send("ann", "/sessions/ann-1/chat", {
      messages: [{ id: "2", role: "user", parts: [{ type: "text", text: "again" }] }],
    });
    expect(await chat.text()).toContain('"delta":"again"');
    await send("ann", "/sessions/ann-1/messages", { text: "may I?", id: "3", agent: "asking" });
    const list = async (): Promise<Approval[]> =>
      (await (await as("staff", "/approvals")).json()) as Approval[];
    await expect.poll(async () => (await list()).length).toBe(1);
    const [approval] = await list();
    expect((await send("ann", `/approvals/${approval?.id}`, { outcome: "granted" })).status).toBe(403);
    expect((await send("staff", `/approvals/${approval?.id}`, { outcome: "granted" })).status).toBe(200);
    expect(await c.session("ann-1").run("3").result()).toMatchObject({ text: "it was granted" });
  });

  test("a person with access to a chat reaches nothing else, over HTTP or a WebSocket", async () => {
    for (const session of ["guest-1", "ann-1"]) {
      await c.session(session, { create: true }).send("may I?", { id: "1", agent: "asking" });
    }
    await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(2);
    const statusOf = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        // `fetch` would resolve the dots.
        const headers = { authorization: "Bearer guest" };
        get(`${serverUrl}/v1`, { path: `${PATH}/v1${path}`, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).on("error", reject);
      });
    expect(await statusOf("/sessions/guest-1/chat")).toBe(200);
    for (const path of ["/chat/../html", "/html", "/%68tml", "/events", "/runs/1/events"]) {
      expect([path, await statusOf(`/sessions/guest-1${path}`)]).toEqual([path, 403]);
    }
    expect(await statusOf("/stream/sessions/guest-1?offset=-1")).toBe(403);
    for (const path of [
      "/sessions/ann-1/chat",
      "/sessions/guest-1/../ann-1/chat",
      "/sessions/GUEST-1/chat",
    ]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
    const guest = { serverUrl, token: "guest" };
    for (const opening of [
      () => connect({ ...guest, channel: "team", handle: "guest" }),
      () => watch({ ...guest, channel: "team" }),
      () => openLive({ ...guest, key: "guest-1", videoId: "v", title: "T" }),
    ]) {
      await expect(opening()).rejects.toMatchObject({ code: "forbidden" });
    }
    const own = (await (await as("guest", "/approvals")).json()) as Approval[];
    expect(own.map(({ sessionId }) => sessionId)).toEqual(["guest-1"]);
    const answer = async (id: string | undefined): Promise<number> => {
      const body = JSON.stringify({ outcome: "granted" });
      return (await as("guest", `/approvals/${id}`, { method: "POST", body })).status;
    };
    const [other] = await c.approvals.list({ status: "open", sessionId: "ann-1" });
    expect([await answer(other?.id), await answer(own[0]?.id)]).toEqual([404, 200]);
    expect((await c.approvals.list({ status: "open" })).map(({ id }) => id)).toEqual([other?.id]);
  });

  test("people talk in a channel over WebSockets and HTTP, each with the rights that the program gives", async () => {
    await using ann = await connect({ serverUrl, channel: "team", handle: "ann", token: "ann" });
    await ann.send("Is somebody there?");
    expect(asked.at(-1)?.url).toBe(`${serverUrl}/v1/channels/team/ws`);
    const messages = (await (await as("reader", "/channels/team/messages")).json()) as unknown;
    expect(JSON.stringify(messages)).toContain("Is somebody there?");
    const said = { method: "POST", body: JSON.stringify({ content: "yes" }) };
    expect((await as("reader", "/channels/team/messages", said)).status).toBe(403);
    await expect(connect({ serverUrl, channel: "team", handle: "bob", token: "ann" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(connect({ serverUrl, channel: "other", handle: "ann", token: "ann" })).rejects.toMatchObject(
      {
        code: "forbidden",
      },
    );
    await expect(watch({ serverUrl, channel: "team", token: "nobody" })).rejects.toMatchObject({
      code: "unauthorized",
    });
  });

  test("a caller can write and follow their own stream, and is refused another person's stream", async () => {
    const headers = { authorization: "Bearer ann", "content-type": "application/json" };
    const stream = `${serverUrl}/v1/stream/orders/7`;
    expect((await fetch(stream, { method: "PUT", headers })).status).toBe(201);
    expect((await fetch(stream, { method: "POST", headers, body: '{"total":3}' })).status).toBe(204);
    expect(await (await as("ann", "/stream/orders/7?offset=-1")).json()).toEqual([{ total: 3 }]);
    expect((await as("ann", "/stream/bills/7?offset=-1")).status).toBe(403);
    expect((await as("reader", "/stream/orders/7?offset=-1")).status).toBe(403);
    expect((await as("ann", "/stream/sessions/bob-1?offset=-1")).status).toBe(403);
  });

  test("a continuous session accepts evidence and shows its notes to authorized callers", async () => {
    const frames: string[] = [];
    const client = await openLive({
      serverUrl,
      key: "ann/1",
      videoId: "v",
      title: "T",
      token: "ann",
      onFrame: ({ type }) => frames.push(type),
    });
    expect(await client.add(said("The bridge is closed.", 2_000))).toMatchObject({ depth: 1 });
    expect((await as("ann", "/live/ann%2F1")).status).toBe(200);
    expect((await as("reader", "/live/ann%2F1")).status).toBe(403);
    await expect.poll(() => frames).toContain("event");
    await client.close();
    expect((await as("ann", "/live/bob%2F1")).status).toBe(403);
  });

  test("the parts that the program does not mount are missing: pages, metrics, the machine", async () => {
    for (const path of ["/healthz", "/metrics", "/mcp", "/v1/machine/sessions", "/v1/audit", "/v1/pages"]) {
      expect([path, (await fetch(`${serverUrl}${path}`)).status]).toEqual([path, 404]);
    }
    expect(asked).toEqual([]);
  });

  test("a page of another site is refused, and a page of a site that the program names is answered", async () => {
    const origin = "https://shop.example";
    const headers = { authorization: "Bearer ann", origin };
    const refused = await fetch(`${serverUrl}/v1/channels`, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: "forbidden", hint: "Ask the people who run this service for access." } },
    ]);
    expect(told.map((error) => (error as ContinuoError).hint)).toEqual([
      'Add "https://shop.example" to the option `origins` of `c.handler`.',
    ]);
    const open = c.handler({ authorize: () => PEOPLE["Bearer ann"] ?? null, origins: [origin] });
    const answer = await open(new Request(`${serverUrl}/v1/channels`, { headers }));
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
  });

  test("the open streams and WebSockets of a handler end when the program closes", async () => {
    await c.session("ann-1", { create: true }).send("hello", { id: "1" }).result();
    const events = await as("ann", "/sessions/ann-1/events");
    await using client = await connect({ serverUrl, channel: "team", handle: "ann", token: "ann" });
    const closing = c.close({ graceMs: 0 });
    expect(await events.text()).toContain('"type":"run_completed"');
    await closing;
    expect(client.roster().length).toBe(1);
  });

  test("a missing session gives not_found at once", async () => {
    expect((await as("ann", "/sessions/ann-9/events")).status).toBe(404);
    expect((await as("ann", "/sessions/bob-1/events")).status).toBe(404);
    expect((await as("ann", "/sessions/ann-%2F1")).status).toBe(400);
  });
});

/** The work of the server around every request, no matter which part answers it. The test has a part of its own. */

import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { type AuditEntry, ContinuoError, type Principal } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { CreateMount, Grant, Mount, Peer, ServerContext } from "./context/index.ts";
import { PHONE_PARTS } from "./mounts.ts";
import { type ContinuoServer, createServer } from "./server.ts";
import type { ServerOptions } from "./server-options.ts";

const PEER: Peer = { address: "192.0.2.7", isLoopback: false };
const GRANT: Grant = { tokenId: "t", workspaceId: "w", handle: null, page: null, scopes: [], peer: PEER };

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

interface Opened {
  readonly server: ContinuoServer;
  readonly context: ServerContext;
  get(path?: string, init?: RequestInit & { readonly host?: string }, peer?: Peer): Promise<Response>;
}

/** A server with one part. It lets everybody in with one token that has no scope. */
function open(options: Partial<ServerOptions> = {}, part: Mount = {}): Opened {
  let context: ServerContext | undefined;
  const create: CreateMount = (given) => {
    context = given;
    return part;
  };
  const server = createServer({ store: () => store, authenticate: async () => GRANT, ...options }, [create]);
  onTestFinished(() => server.close());
  if (context === undefined) throw new Error("the part was not made");
  const get: Opened["get"] = (path = "/v1/x", { host = "server.example", ...init } = {}, peer = PEER) =>
    server.fetch(new Request(`http://${host}${path}`, { headers: { host }, ...init }), peer);
  return { server, context, get };
}

/** A part with one route, which answers every method. */
function answering(answer: () => Response): Mount {
  return { routes: (app) => void app.all("/v1/x", answer) };
}

test("a connection belongs to a stranger until its token was accepted", async () => {
  const met: string[] = [];
  const refuse = async (): Promise<Grant> => {
    throw new ContinuoError("unauthorized", "the token is unknown");
  };
  for (const [name, authenticate] of [
    ["refused", refuse],
    ["accepted", async () => GRANT],
  ] as const) {
    const { get } = open(
      { authenticate },
      answering(() => new Response("ok")),
    );
    await get("/v1/x", {}, { ...PEER, onToken: () => met.push(name) });
  }
  expect(met).toEqual(["accepted"]);
});

test("the browser of a page keeps no answer, also of a part that lets its answers be kept", async () => {
  const answer = () => new Response("ok", { headers: { "cache-control": "private, max-age=60" } });
  const { tokenId } = await store.createToken({ scopes: ["channel:team:read"] });
  const page = { kind: "tab", parentId: "5cd4bbbb-0000-4000-8000-000000000003" } as const;
  const kept: (string | null)[] = [];
  for (const grant of [GRANT, { ...GRANT, tokenId, page } as Grant]) {
    const { get } = open({ authenticate: async () => grant }, answering(answer));
    kept.push((await get()).headers.get("cache-control"));
  }
  expect(kept).toEqual(["private, max-age=60", "no-store"]);
});

test("a store of a workspace is opened once, and one that records under a name each time", () => {
  const opened: (string | undefined)[] = [];
  const { context } = open({
    store: (_, by) => {
      opened.push(by?.who);
      return store;
    },
  });
  const ann: Principal = { who: "token:ann", from: "192.0.2.7" };
  for (const by of [undefined, undefined, ann, ann]) context.store("w", by);
  expect(opened).toEqual([undefined, "token:ann", "token:ann"]);
});

test("a server that closes accepts no request and no WebSocket, and says when to try again", async () => {
  const upgraded: string[] = [];
  const { server, get } = open({}, { upgrade: ({ url = "" }) => Boolean(upgraded.push(url)) });
  await server.close();
  const answer = await get();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  const socket = new PassThrough();
  const request = { url: "/v1/x/ws", headers: { host: "server.example" } } as IncomingMessage;
  server.upgrade(request, socket, Buffer.alloc(0), PEER);
  expect(String(socket.read())).toMatch(/^HTTP\/1\.1 503 /u);
  expect(upgraded).toEqual([]);
});

test("a server with a list of hosts also answers under its public name, and its addresses have no double slash", async () => {
  const options = { hosts: ["localhost"], publicUrl: "https://public.example/" };
  const { get, context } = open(
    options,
    answering(() => new Response("ok")),
  );
  const statuses: number[] = [];
  for (const host of ["localhost", "public.example", "other.example"])
    statuses.push((await get("/v1/x", { host })).status);
  expect([statuses, context.publicUrl]).toEqual([[200, 200, 403], "https://public.example"]);
});

test("only a read that the store cannot serve is degraded; a write stays unavailable, because it may be stored", async () => {
  const failing = (): Response => {
    throw new ContinuoError("unavailable", "the store is away");
  };
  const { get } = open({}, answering(failing));
  const codes: unknown[] = [];
  for (const method of ["GET", "POST", "PUT", "DELETE"]) {
    const { error } = (await (await get("/v1/x", { method })).json()) as { error: { code: string } };
    codes.push([method, error.code]);
  }
  expect(codes).toEqual([
    ["GET", "degraded"],
    ["POST", "unavailable"],
    ["PUT", "unavailable"],
    ["DELETE", "unavailable"],
  ]);
});

test("what commands did to tokens until the server closes is in its security log", async () => {
  const written: string[] = [];
  let entries: AuditEntry[] = [];
  const server = createServer(
    {
      store: () => store,
      authenticate: async () => GRANT,
      securityLog: (line) => written.push(line),
      followAudit: async () => entries.splice(0),
    },
    [],
  );
  await new Promise((resolve) => setImmediate(resolve));
  const who = { who: "user:ann", from: null, workspaceId: "w", at: "2026-01-01T00:00:00.000Z" };
  for (let n = 0; n < 12; n++)
    entries = [...entries, { ...who, what: "token_revoked", target: `t${n}`, details: {} } as never];
  await server.close();
  // Ten lines of one kind are written, and the last one counts the others.
  expect(written).toHaveLength(11);
});

test("the hosts of webhooks that the operator names may be written in capitals", () => {
  const { context } = open({ webhookHosts: ["Hooks.Example"] });
  expect([...context.webhookHosts.named]).toEqual(["hooks.example"]);
});

test("caches learn everything by which an answer varies", async () => {
  const { get } = open(
    {},
    answering(() => new Response("ok", { headers: { vary: "accept" } })),
  );
  const headers = { host: "server.example", origin: "http://server.example" };
  expect((await get("/v1/x", { headers })).headers.get("vary")).toMatch(/^accept, origin/iu);
});

test("a client that leaves during its upload is no line for the operator, and any other failure is one", async () => {
  const reported: string[] = [];
  const errors = [Object.assign(new Error("aborted"), { code: "ECONNRESET" }), new Error("it failed")];
  for (const error of errors) {
    const failing = (): Response => {
      throw error;
    };
    await open({ report: (line) => reported.push(line) }, answering(failing)).get();
  }
  expect(reported).toEqual([expect.stringContaining("it failed")]);
});

test.each([
  ["computer", 3, "unauthorized"],
  ["phone", 3, null],
  ["phone", 6 * 24, null],
  ["phone", 8 * 24, "unauthorized"],
] as const)(
  "a page of a %s that was not used for %i hours is refused with %s",
  async (pagesOf, hours, code) => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    await using clocked = await openStore("memory:", { now: () => Date.now() });
    const { context } = open({ pagesOf, store: () => clocked });
    const { tokenId } = await clocked.createToken({ scopes: ["channel:team:read"] });
    const page = { tokenId, workspaceId: "w", parentId: "parent" };
    await context.pageUse.opened(page);
    vi.advanceTimersByTime(hours * 3_600_000);
    const refusal = await context.pageUse.used(page).then(
      () => null,
      (error: unknown) => (error as ContinuoError).code,
    );
    expect(refusal).toBe(code);
  },
);

test.each([
  ["a limit", { limits: { requestPerSecond: 5 } }],
  ["a limit of slow readers", { slowReaders: { stalledMS: 5 } }],
])("a misspelled name of %s is refused at the start", (_, options) => {
  const base = { store: () => store, authenticate: async () => GRANT };
  expect(() => createServer({ ...base, ...options } as ServerOptions, [])).toThrow(
    expect.objectContaining({ code: "usage" }),
  );
});

test("at the address for phones there are no streams, channels, attachments and tools", async () => {
  const server = createServer({ store: () => store, authenticate: async () => GRANT }, PHONE_PARTS);
  const paths = server.routes.map(({ path }) => path);
  expect(
    paths.filter((path) => /^\/(?:mcp|v1\/(?:stream|channels|blobs|live|sessions))/u.test(path)),
  ).toEqual([]);
  expect(paths).toContain("/v1/machine/*");
  await server.close();
});

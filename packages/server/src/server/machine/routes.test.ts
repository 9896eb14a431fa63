/** The routes of the machine and of its tools, without a network and without a machine. */

import { ContinuoError, type Principal } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import { ONLY_READS } from "@continuo/core/wire/machine";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { Grant, McpService, Peer, ServerContext, ServerEnv } from "../context/index.ts";
import { failure } from "../http/index.ts";
import { actionRoutes } from "./action-routes.ts";
import { listRoutes } from "./list-routes.ts";
import { mcp } from "./mcp.ts";
import type { MachineAccess } from "./request-input.ts";
import { sessionRoutes } from "./session-routes.ts";

const PEER: Peer = { address: "192.0.2.7", isLoopback: false };
const GRANT = {
  tokenId: "t",
  workspaceId: "default",
  page: null,
  scopes: [],
  peer: PEER,
} as unknown as Grant;

type Routes = (app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess) => void;

/** The routes for a token that may only read, or also write. */
function appWith(routes: Routes, service: object, { context = {}, writes = false } = {}): Hono<ServerEnv> {
  const asked: MachineAccess = async (_, access) => {
    if (access !== "read" && !writes) throw new ContinuoError("forbidden", "the token only reads");
    return service as MachineService;
  };
  const app = new Hono<ServerEnv>();
  app.onError((error) => failure(error));
  app.use(async (c, next) => {
    c.set("grant", GRANT);
    await next();
  });
  routes(app, context as ServerContext, asked);
  return app;
}

test("a parameter that is given twice is refused, except one that is a list", async () => {
  const asked: unknown[] = [];
  const service = { sessions: async (query: unknown) => ({ query: asked.push(query) }) };
  const app = appWith(listRoutes, service);
  const status = async (query: string): Promise<number> =>
    (await app.request(`/v1/machine/sessions?${query}`)).status;
  expect([await status("title=a&title=b"), await status("agent=pi&agent=pi&limit=1&limit=2")]).toEqual([
    400, 400,
  ]);
  expect([await status("tag=a&tag=b&agent=pi&agent=codex"), asked]).toEqual([
    200,
    [{ tag: ["a", "b"], agent: ["pi", "codex"] }],
  ]);
});

test("what is already known of a session tells a page that it may only read", async () => {
  const known: { head: { title: string } | null } = { head: { title: "T" } };
  const service = { known: async () => known };
  const heads: unknown[] = [];
  for (const writes of [false, true]) {
    const answer = await appWith(sessionRoutes, service, { writes }).request("/v1/machine/sessions/a/known");
    heads.push(((await answer.json()) as { readonly head: unknown }).head);
  }
  expect(heads).toEqual([{ title: "T", readOnly: ONLY_READS }, { title: "T" }]);
  known.head = null;
  const answer = await appWith(sessionRoutes, service).request("/v1/machine/sessions/a/known");
  expect(await answer.json()).toEqual({ head: null });
});

test("an action is in the audit log before it happens, under the name of the token that asked for it", async () => {
  const done: unknown[] = [];
  const service = { actions: { delete: async (key: string) => ({ deleted: done.push(key) }) } };
  const store = (_: string, by?: Principal) => ({
    recordAudit: async ({ what, target }: { readonly what: string; readonly target: string }) => {
      done.push([what, target, by]);
    },
  });
  const app = appWith(actionRoutes, service, { context: { store }, writes: true });
  await app.request("/v1/machine/sessions/a/delete", { method: "POST", body: "{}" });
  expect(done).toEqual([["session_deleted", "a", { who: "token:t", from: "192.0.2.7" }], "a"]);
});

test("a question of an agent counts as a connection of its token until it is answered", async () => {
  let open = 0;
  const asked: number[] = [];
  const service: McpService = {
    fetch: async () => {
      asked.push(open);
      return Response.json({});
    },
    close: async () => undefined,
  };
  const connection = (): Disposable => {
    open += 1;
    return {
      [Symbol.dispose]: () => {
        open -= 1;
      },
    };
  };
  const reception = { begin: () => undefined, [Symbol.dispose]: () => undefined };
  const context = {
    mcp: service,
    authenticate: async () => GRANT,
    require: () => undefined,
    quotas: { request: () => undefined, connect: connection, receive: () => reception },
  } as unknown as ServerContext;
  const app = new Hono<ServerEnv>();
  mcp(context).publicRoutes?.(app);
  const answer = await app.request("/mcp", { method: "POST", body: "{}" }, { peer: PEER });
  expect([answer.headers.get("cache-control"), asked, open]).toEqual(["no-store", [1], 0]);
});

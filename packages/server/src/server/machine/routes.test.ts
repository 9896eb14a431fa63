/** The routes of the machine and of its tools, without a network and without a machine. */

import { ContinuoError, type Principal } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import { ONLY_ANSWERS, ONLY_READS } from "@continuo/core/wire/machine";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { Grant, McpService, Peer, ServerContext, ServerEnv } from "../context/index.ts";
import { failure } from "../http/index.ts";
import { actionRoutes } from "./action-routes.ts";
import { chatRoutes } from "./chat-routes.ts";
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

/** The routes for a token that may only read, also answer questions, or also write. */
function appWith(
  routes: Routes,
  service: object,
  { context = {}, writes = false, answers = false } = {},
): Hono<ServerEnv> {
  const asked: MachineAccess = async (_, access) => {
    const isAllowed = access === "read" || writes || (access === "answer" && answers);
    if (!isAllowed) throw new ContinuoError("forbidden", "the token only reads");
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

const post = (body: object): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
const PAGE = { id: "p", name: "a page" };

test("each session that is exported, an emptied trash and an agent that starts are in the audit log before they happen", async () => {
  const done: unknown[] = [];
  const act = (name: string) => async () => {
    done.push(name);
    return { body: null, fileName: "all.zip", mimeType: "application/zip" };
  };
  const exportAll = () => {
    done.push("export");
    return { body: null, fileName: "all.zip", mimeType: "application/zip" };
  };
  const service = {
    actions: { emptyTrash: act("empty"), exportAll },
    chat: { begin: act("begin"), prompt: act("prompt") },
  };
  const store = () => ({
    recordAudit: async ({ what, target }: { readonly what: string; readonly target: string }) => {
      done.push(`${what} ${target}`);
    },
  });
  const actions = appWith(actionRoutes, service, { context: { store }, writes: true });
  const chats = appWith(chatRoutes, service, { context: { store }, writes: true });
  await actions.request("/v1/machine/trash/empty", post({}));
  await actions.request("/v1/machine/export", post({ format: "md", keys: ["a", "b"] }));
  await chats.request("/v1/machine/chats", post({ text: "go", agent: "pi", cwd: "/srv" }));
  await chats.request("/v1/machine/sessions/a/chat/prompt", post({ text: "go" }));
  expect(done).toEqual([
    "session_deleted the trash",
    "empty",
    "session_exported a",
    "session_exported b",
    "export",
    "agent_started /srv",
    "begin",
    "agent_started a",
    "prompt",
  ]);
});

test.each([
  [{ answers: true }, "refused"],
  [{ writes: true }, "allowed"],
])("of a token with %j, an answer that counts for longer than once is %s", async (rights, lasting) => {
  const answered: unknown[] = [];
  const chat = {
    answer: async (_: string, __: object, options: { readonly lasting: string }) =>
      answered.push(options.lasting),
  };
  const body = post({ approvalId: "q", outcome: "granted", page: PAGE });
  await appWith(chatRoutes, { chat }, rights).request("/v1/machine/sessions/a/chat/answer", body);
  expect(answered).toEqual([lasting]);
});

test("a token that only answers starts no agent, and does not see the files of a folder", async () => {
  const app = appWith(chatRoutes, { chat: {} }, { answers: true });
  const requests: readonly (readonly [string, RequestInit?])[] = [
    ["/chats/files?words=a"],
    ["/chats/agents?cwd=/srv"],
    ["/chats", post({ text: "go", agent: "pi", cwd: "/srv" })],
    ["/sessions/a/chat/prompt", post({ text: "go" })],
    ["/sessions/a/chat/cancel", post({ runId: "r" })],
  ];
  const answers = await Promise.all(requests.map(([path, init]) => app.request(`/v1/machine${path}`, init)));
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});

test.each([
  [{}, ONLY_READS],
  [{ answers: true }, ONLY_ANSWERS],
  [{ writes: true }, undefined],
])("a page with the rights %j learns what it cannot do in a conversation", async (rights, readOnly) => {
  const chat = {
    events: async function* () {
      yield { type: "state", state: { title: "T" } };
    },
  };
  const connect = () => ({ [Symbol.dispose]: () => undefined });
  const context = { quotas: { connect }, draining: new AbortController().signal };
  const app = appWith(chatRoutes, { chat }, { context, ...rights });
  const text = await (await app.request("/v1/machine/sessions/a/chat/events")).text();
  const { state } = JSON.parse(/event: state\ndata: (.*)\n/u.exec(text)?.[1] ?? "{}");
  expect(state).toEqual({ title: "T", ...(readOnly === undefined ? {} : { readOnly }) });
});

test("only a page on this machine that may write is offered a terminal, and gets one", async () => {
  const actions = {
    resume: async () => ({ command: "pi", terminal: "xterm" }),
    openTerminal: async () => expect.unreachable("the request came from elsewhere"),
  };
  const app = appWith(actionRoutes, { actions }, { writes: true });
  expect(await (await app.request("/v1/machine/sessions/a/resume")).json()).toEqual({
    command: "pi",
    terminal: null,
  });
  expect((await app.request("/v1/machine/sessions/a/terminal", post({}))).status).toBe(403);
});

test("a preview of a repair changes nothing", async () => {
  const asked: string[] = [];
  const change = async (_: string, how: string) => ({ how: asked.push(how) });
  const app = appWith(actionRoutes, { actions: { repair: change, bringBack: change } });
  for (const path of ["repair", "bring-back"]) await app.request(`/v1/machine/sessions/a/${path}`);
  expect(asked).toEqual(["preview", "preview"]);
});

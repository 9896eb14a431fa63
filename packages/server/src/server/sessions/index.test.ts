/** The routes of sessions, with a service that only records how it is asked. */

import { ContinuoError } from "@continuo/core/model";
import { allows, parseScope } from "@continuo/core/wire";
import { Hono } from "hono";
import { beforeEach, expect, test } from "vitest";
import type { Grant, Quotas, SendAttempt, ServerContext, ServerEnv } from "../context/index.ts";
import { sessions } from "./index.ts";

let asked: unknown[];
let connections: number;
let lose: () => void;
let draining: AbortController;
/** The signal of the newest stream. */
let signal: AbortSignal | undefined;
/** The answer of the service to the request for a stream. */
let stream: () => Promise<Response | null>;
/** The status of each run of the store, and the newest attempt of each. */
let runs: Readonly<Record<string, string>>;
let attempts: Readonly<Record<string, string>>;
let attempt: SendAttempt<unknown> | undefined;
let created: { readonly created: boolean } | undefined;

beforeEach(() => {
  [asked, connections, signal, attempt, created] = [[], 0, undefined, undefined, undefined];
  lose = () => undefined;
  draining = new AbortController();
  stream = async () => null;
  [runs, attempts] = [{}, {}];
});

const SENT = { id: "m", runId: "m", sessionId: "ann", status: "pending" };

const session = {
  sessionId: "ann",
  messages: async (options: unknown) => {
    asked.push(options);
    return [];
  },
  toHtml: async (options: unknown) => {
    asked.push(options);
    return "<html></html>";
  },
  chat: async () => ({ messages: [], open: [] }),
  stop: async () => ["m"],
  send: () => Promise.resolve(SENT),
  run: () => Promise.reject(new ContinuoError("not_found", "there is no such run")),
  toUIMessageResponse: (options: { readonly signal: AbortSignal }) => {
    ({ signal } = options);
    return stream();
  },
};

const quotas: Partial<Quotas> = {
  connect: (_, onLost) => {
    connections += 1;
    let isOpen = true;
    lose = () => onLost(new ContinuoError("unauthorized", "the token was revoked"));
    return {
      [Symbol.dispose]: () => {
        if (isOpen) connections -= 1;
        isOpen = false;
      },
    };
  },
  log: async (_, { create }) => {
    const made = await create();
    created = made;
    return made;
  },
  message: async (_, given) => {
    attempt = given;
    return await given.send();
  },
};

function appFor(...scopes: readonly string[]): Hono<ServerEnv> {
  const store = {
    getSession: async () => null,
    getRun: async (id: string) => (runs[id] === undefined ? null : { status: runs[id] }),
    getClaim: async (name: string) => {
      const root = Object.keys(attempts).find((one) => name.endsWith(one));
      return root === undefined ? null : { owner: attempts[root] };
    },
  };
  const context = {
    draining: draining.signal,
    limits: { requestBytes: 10_000 },
    quotas,
    store: () => store,
    require: (grant: Grant, need: Parameters<ServerContext["require"]>[1]) => {
      if (!allows(grant.scopes, need)) throw new ContinuoError("forbidden", "not allowed");
    },
    sessions: async () => ({
      session: (_: string, options: unknown) => {
        asked.push(options);
        return session;
      },
    }),
  } as unknown as ServerContext;
  const app = new Hono<ServerEnv>();
  app.onError((error) => Response.json((error as ContinuoError).code, { status: 400 }));
  app.use(async (c, next) => {
    c.set("grant", { tokenId: "t", workspaceId: "w", scopes: scopes.map(parseScope) } as unknown as Grant);
    await next();
  });
  sessions(context).routes?.(app);
  return app;
}

const post = (body: object): RequestInit => ({ method: "POST", body: JSON.stringify(body) });

test.each([
  ["read", false],
  ["read,write", true],
])("a grant that may %s in a chat begins its session: %s", async (access, create) => {
  const answer = await appFor(`chat:ann:${access}`).request("/v1/sessions/ann/chat");
  expect([answer.status, asked]).toEqual([200, [{ create }]]);
});

test("readers over HTTP get the messages and the page without what only the program may see", async () => {
  const app = appFor("session:ann:read");
  await app.request("/v1/sessions/ann");
  await app.request("/v1/sessions/ann/html");
  const options = asked.filter((one) => !Object.hasOwn(one as object, "create"));
  expect(options).toEqual([{ forReaders: true }, { forReaders: true }]);
});

test("the events of a session that does not exist are an error, and leave no stream open", async () => {
  const app = appFor("session:ann:read");
  const answers = ["/events", "/runs/m/events"].map(async (path) =>
    (await app.request(`/v1/sessions/ann${path}`)).json(),
  );
  expect(await Promise.all(answers)).toEqual(["not_found", "not_found"]);
  expect(connections).toBe(0);
});

test.each<[string, () => Promise<Response | null>]>([
  ["has nothing to follow", async () => null],
  ["cannot begin", () => Promise.reject(new ContinuoError("busy", "the store has much to do"))],
])("a stream that %s leaves no connection open", async (_, begin) => {
  stream = begin;
  await appFor("chat:ann:read").request("/v1/sessions/ann/chat/stream");
  expect(connections).toBe(0);
});

test.each<[string, () => void]>([
  ["its token was revoked", () => lose()],
  ["the server begins to close", () => draining.abort()],
])("a stream of a chat ends when %s", async (_, end) => {
  stream = async () => new Response(new ReadableStream());
  const answer = await appFor("chat:ann:read").request("/v1/sessions/ann/chat/stream");
  expect([connections, signal?.aborted]).toEqual([1, false]);
  end();
  expect(signal?.aborted).toBe(true);
  await answer.body?.cancel();
  expect(connections).toBe(0);
});

test("only a grant that may write in a chat stops an answer", async () => {
  const stop = async (scope: string): Promise<unknown> =>
    await (await appFor(scope).request("/v1/sessions/ann/chat/stop", post({}))).json();
  expect(await stop("chat:ann:read")).toBe("forbidden");
  expect(await stop("chat:ann:read,write")).toEqual({ stopped: ["m"] });
});

test("a message counts for its sender until its newest attempt has ended", async () => {
  const app = appFor("session:ann:read,write");
  await app.request("/v1/sessions/ann/messages", post({ text: "hello", id: "m" }));
  [runs, attempts] = [{ m: "interrupted", again: "running" }, { m: "again" }];
  expect(await attempt?.hasEnded("m")).toBe(false);
  runs = { m: "interrupted", again: "completed" };
  expect(await attempt?.hasEnded("m")).toBe(true);
});

test("a session that a message begins counts as a new one", async () => {
  const app = appFor("session:ann:read,write");
  await app.request("/v1/sessions/ann/messages", post({ text: "hello" }));
  expect(created).toEqual({ created: true });
});

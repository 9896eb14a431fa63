/**
 * Sessions and approvals at `/v1/sessions/*` and `/v1/approvals`: messages for agents, their answers as streams, and
 * questions to people.
 *
 * Promises: an acknowledged message is durable; a session that a grant does not name is not found; an approval is
 * answered only with a scope for approvals.
 * Does not know: agents, runs, how an approval is stored (`@continuo/server/runtime`).
 */

import { ContinuoError } from "@continuo/core/model";
import { ANY_HANDLE, allows } from "@continuo/core/wire";
import type { Context, Hono } from "hono";
import { principalOf } from "../auth/index.ts";
import {
  APPROVAL_STATUSES,
  type CreateMount,
  type Grant,
  type ServedApproval,
  type ServedSession,
  type ServerContext,
  type ServerEnv,
} from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";
import { chatMessageOf, htmlResponse, messageOf, openOf, textOrNone } from "./input.ts";

const SESSION = "/v1/sessions/:session";
const APPROVALS = "/v1/approvals";

export const sessions: CreateMount = (context) => {
  const { sessions: serviceOf } = context;
  if (serviceOf === undefined) return {};
  return {
    routes: (app) => {
      sessionRoutes(app, context, serviceOf);
      approvalRoutes(app, context, serviceOf);
    },
  };
};

type SessionsProvider = NonNullable<ServerContext["sessions"]>;

function sessionRoutes(app: Hono<ServerEnv>, context: ServerContext, serviceOf: SessionsProvider): void {
  const readable = async (grant: Grant, name: string): Promise<ServedSession> => {
    assertReadable(grant, name);
    return (await serviceOf(grant.workspaceId)).session(name);
  };
  const writable = async (grant: Grant, name: string): Promise<ServedSession> => {
    assertReadable(grant, name);
    context.require(grant, { kind: "session", name, access: "write" });
    return (await serviceOf(grant.workspaceId)).session(name, { create: true });
  };
  app.get(SESSION, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"));
    return Response.json({ sessionId: session.sessionId, messages: await session.messages() });
  });
  app.get(`${SESSION}/events`, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"));
    // A reader of a session that does not exist receives an error, so that it stops trying.
    if ((await context.store(c.var.grant.workspaceId).getSession(session.sessionId)) === null) {
      throw unknown(session.sessionId);
    }
    return followed(c, context, (request) => session.toSSE(request));
  });
  app.get(`${SESSION}/html`, async (c) =>
    htmlResponse(await (await readable(c.var.grant, c.req.param("session"))).toHtml()),
  );
  app.get(`${SESSION}/runs/:run/events`, async (c) => {
    const run = (await readable(c.var.grant, c.req.param("session"))).run(c.req.param("run"));
    await run;
    return followed(c, context, (request) => run.toSSE(request));
  });
  app.post(`${SESSION}/messages`, async (c) => {
    const session = await writable(c.var.grant, c.req.param("session"));
    const { text, ...options } = messageOf(await readJsonObject(c.req.raw, context.limits.requestBytes));
    return Response.json(await session.send(text, options), { status: 202 });
  });
  chatRoutes(app, context, { readable, writable });
}

interface SessionAccess {
  readable(grant: Grant, name: string): Promise<ServedSession>;
  writable(grant: Grant, name: string): Promise<ServedSession>;
}

function chatRoutes(
  app: Hono<ServerEnv>,
  context: ServerContext,
  { readable, writable }: SessionAccess,
): void {
  const CHAT = `${SESSION}/chat`;
  const bodyOf = (c: Context<ServerEnv>) => readJsonObject(c.req.raw, context.limits.requestBytes);
  app.get(CHAT, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"));
    return Response.json(await session.chat());
  });
  app.get(`${CHAT}/html`, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"));
    return htmlResponse(await session.toHtml({ view: "chat" }));
  });
  app.post(CHAT, async (c) => {
    const session = await writable(c.var.grant, c.req.param("session"));
    const { input, ...options } = chatMessageOf(await bodyOf(c));
    const run = session.send(input, options);
    // A message that cannot be sent is an error of the request.
    await run;
    return await followed(c, context, (request) => run.toUIMessageResponse(request));
  });
  // The second path is the one that the default transport of `useChat` asks, with an id of the page.
  for (const path of [`${CHAT}/stream`, `${CHAT}/:page/stream`]) {
    app.get(path, async (c) => {
      const session = await readable(c.var.grant, c.req.param("session") ?? "");
      const open = openOf({ open: c.req.queries("open") });
      return await followed(c, context, async ({ signal }) => {
        const answer = await session.toUIMessageResponse({ ...open, signal });
        return answer ?? new Response(null, { status: 204 });
      });
    });
  }
  app.post(`${CHAT}/stop`, async (c) => {
    const { grant } = c.var;
    const name = c.req.param("session");
    const session = await readable(grant, name);
    context.require(grant, { kind: "session", name, access: "write" });
    const { reason, ...body } = await bodyOf(c);
    const stopped = await session.stop({ ...openOf(body), ...textOrNone("reason", reason) });
    return Response.json({ stopped });
  });
}

function approvalRoutes(app: Hono<ServerEnv>, context: ServerContext, serviceOf: SessionsProvider): void {
  app.get(APPROVALS, async (c) => {
    const asked = c.req.query("status") ?? "open";
    const status = APPROVAL_STATUSES.find((one) => one === asked);
    if (status === undefined) throw new ContinuoError("invalid", `there is no status ${asked.slice(0, 40)}`);
    const { approvals } = await serviceOf(c.var.grant.workspaceId);
    const all = await approvals.list({ status });
    return Response.json(all.filter((approval) => maySee(c.var.grant, approval)));
  });
  app.post(`${APPROVALS}/:approval`, async (c) => {
    const { grant } = c.var;
    const { approvals } = await serviceOf(grant.workspaceId);
    const id = c.req.param("approval");
    const known = await approvals.get(id);
    if (known === null || !maySee(grant, known)) {
      throw new ContinuoError("not_found", "there is no such approval");
    }
    context.require(grant, { kind: "approval", name: known.sessionId, access: "write" });
    const { outcome, reason } = await readJsonObject(c.req.raw);
    if (outcome !== "granted" && outcome !== "denied") {
      throw new ContinuoError("invalid", "the body needs the outcome granted or denied");
    }
    const answer = { outcome, by: authorOf(grant), ...textOrNone("reason", reason) } as const;
    return Response.json(await approvals.resolve(id, answer));
  });
}

/**
 * Errors: `not_found` for a session of somebody else, as for a session that does not exist; `invalid` for the name of a
 * log.
 */
function assertReadable({ scopes }: Grant, name: string): void {
  if (name.includes("/")) throw new ContinuoError("invalid", "the id of a session has no slash here");
  if (!allows(scopes, { kind: "session", name, access: "read" })) {
    throw unknown(name);
  }
}

function unknown(name: string): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(name)}`);
}

/** The person, as the program names them; otherwise the handle of the token, or the token. */
function authorOf(grant: Grant): string {
  const { by, handle } = grant;
  return by ?? (handle === null || handle === ANY_HANDLE ? principalOf(grant).who : handle);
}

function maySee({ scopes }: Grant, { sessionId: name }: ServedApproval): boolean {
  return (["session", "approval"] as const).some((kind) => allows(scopes, { kind, name, access: "read" }));
}

/**
 * A stream that ends with its reader, its token or the server. `open` receives the request, with a signal that aborts
 * when the stream must end.
 */
async function followed(
  c: Context<ServerEnv>,
  context: ServerContext,
  open: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const gone = new AbortController();
  const connection = context.quotas.connect(c.var.grant, () => gone.abort());
  const { url, headers, signal: left } = c.req.raw;
  const signal = AbortSignal.any([gone.signal, left, context.draining]);
  const end = (): void => connection[Symbol.dispose]();
  let answer: Response;
  try {
    answer = await open(new Request(url, { headers, signal }));
  } catch (error) {
    end();
    throw error;
  }
  // A stream that observes the signal ends in its own way; any other stream is cut off.
  const body = answer.body?.pipeThrough(new TransformStream({ flush: end, cancel: end }));
  if (body === undefined) end();
  return new Response(body ?? null, { status: answer.status, headers: answer.headers });
}

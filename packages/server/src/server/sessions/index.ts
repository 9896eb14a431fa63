/**
 * Sessions and approvals at `/v1/sessions/*` and `/v1/approvals`: messages for agents, their answers as streams, and
 * questions to people.
 *
 * Promises: an acknowledged message is durable; a session that a grant does not name is not found; a grant for chats
 * reaches nothing else of a session; an approval is answered only with a scope for approvals.
 * Does not know: agents, runs, how an approval is stored (`@continuo/server/runtime`).
 */

import { ContinuoError, present, RUN_END_STATUSES } from "@continuo/core/model";
import { ANY_HANDLE, allows, eventPlaceOf } from "@continuo/core/wire";
import { latestAttempt } from "@continuo/store/sessions";
import type { Context, Hono } from "hono";
import { principalOf } from "../auth/index.ts";
import {
  APPROVAL_STATUSES,
  type CreateMount,
  type Grant,
  type SentMessage,
  type ServedApproval,
  type ServedSession,
  type ServerContext,
  type ServerEnv,
} from "../context/index.ts";
import { keepRequests, readJsonObject } from "../http/index.ts";
import { chatMessageOf, htmlResponse, limitOf, messageOf, openOf, textOrNone } from "./input.ts";
import { assertUnanswered, sentOnce } from "./repeated-message.ts";

const SESSION = "/v1/sessions/:session";
const APPROVALS = "/v1/approvals";
/** People who may read a session over HTTP do not run the product. */
const FOR_READERS = { forReaders: true } as const;

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
  const readable: SessionAccess["readable"] = async (grant, name, part = "session") => {
    assertReadable(grant, name, part);
    // A chat that the person may begin is empty before its first message: `useChat` asks for it when a page is loaded.
    const create = part === "chat" && may(grant, { name, part }, "write");
    return (await serviceOf(grant.workspaceId)).session(name, { create });
  };
  const writable: SessionAccess["writable"] = async (grant, name, part = "session") => {
    assertReadable(grant, name, part);
    requireWrite(context, grant, { name, part });
    const described = grant.newSession?.(name);
    await countSession(context, grant, name);
    return (await serviceOf(grant.workspaceId)).session(name, { ...described, create: true });
  };
  app.get(SESSION, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"));
    return Response.json({ sessionId: session.sessionId, messages: await session.messages(FOR_READERS) });
  });
  app.get(`${SESSION}/events`, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"));
    // A reader of a session that does not exist receives an error, so that it stops trying.
    if ((await context.store(c.var.grant.workspaceId).getSession(session.sessionId)) === null) {
      throw unknown(session.sessionId);
    }
    await assertPlace(context, c, session.sessionId);
    return followed(c, context, (request) => session.toSSE(request));
  });
  app.get(`${SESSION}/html`, async (c) =>
    htmlResponse(await (await readable(c.var.grant, c.req.param("session"))).toHtml(FOR_READERS)),
  );
  app.get(`${SESSION}/runs/:run/events`, async (c) => {
    const run = (await readable(c.var.grant, c.req.param("session"))).run(c.req.param("run"));
    await run;
    await assertPlace(context, c, c.req.param("session"));
    return followed(c, context, (request) => run.toSSE(request));
  });
  app.post(`${SESSION}/messages`, async (c) => {
    const session = await writable(c.var.grant, c.req.param("session"));
    const body = await readJsonObject(c.req.raw, context.limits.requestBytes);
    const { text, again, ...options } = messageOf(body);
    const sending = { ...askedOf(c.var.grant, options), again };
    const sent = await countMessage(context, c.var.grant, {
      session,
      id: options.id,
      send: async () => await session.send(text, sending),
    });
    if (sent.status === "dead_letter") throw givenUp(sent);
    return Response.json(sent, { status: 202 });
  });
  chatRoutes(app, context, { readable, writable });
}

/**
 * A reader of a log that was deleted, or restored from a backup, would otherwise wait for events without an end, or
 * miss some. Errors: `invalid`, `out_of_range`.
 */
async function assertPlace(context: ServerContext, c: Context<ServerEnv>, name: string): Promise<void> {
  const after = eventPlaceOf(c.req.raw);
  if (after === undefined) return;
  const latestSequence = await context.store(c.var.grant.workspaceId).latestSequence(name);
  if (after <= latestSequence) return;
  throw new ContinuoError("out_of_range", `there is no event ${after} in this session`, {
    hint: "Read from the beginning: the store may have been restored from a backup.",
    details: { latestSequence },
  });
}

/** Errors: `rate_limited` for a session that does not exist, when the person has begun as many as they may today. */
async function countSession({ quotas, store }: ServerContext, grant: Grant, name: string): Promise<void> {
  const exists = async (): Promise<boolean> => (await store(grant.workspaceId).getSession(name)) !== null;
  await quotas.log(grant, { exists, create: async () => ({ created: !(await exists()) }) });
}

interface CountedMessage<T extends SentMessage> {
  readonly session: ServedSession;
  readonly id: string | undefined;
  send(): Promise<T>;
}

/** Errors: `rate_limited` for a new message, when too many messages of the person have no complete answer yet. */
async function countMessage<T extends SentMessage>(
  { quotas, store }: ServerContext,
  grant: Grant,
  { session, id, send }: CountedMessage<T>,
): Promise<T> {
  return await quotas.message(grant, {
    send,
    exists: async () =>
      id !== undefined &&
      (await Promise.resolve(session.run(id)).then(
        () => true,
        () => false,
      )),
    hasEnded: async (runId) => {
      const runs = store(grant.workspaceId);
      const run = await runs.getRun(await latestAttempt(runs, runId));
      return run === null || RUN_END_STATUSES.includes(run.status);
    },
  });
}

/** A grant for the session is also one for its chat. */
type ScopePart = "session" | "chat";

interface SessionAccess {
  readable(grant: Grant, name: string, part?: ScopePart): Promise<ServedSession>;
  writable(grant: Grant, name: string, part?: ScopePart): Promise<ServedSession>;
}

function chatRoutes(
  app: Hono<ServerEnv>,
  context: ServerContext,
  { readable, writable }: SessionAccess,
): void {
  const CHAT = `${SESSION}/chat`;
  const bodyOf = (c: Context<ServerEnv>) => readJsonObject(c.req.raw, context.limits.requestBytes);
  app.get(CHAT, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"), "chat");
    return Response.json(await session.chat());
  });
  app.get(`${CHAT}/html`, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"), "chat");
    return htmlResponse(await session.toHtml({ view: "chat" }));
  });
  app.get(`${CHAT}/events`, async (c) => {
    const session = await readable(c.var.grant, c.req.param("session"), "chat");
    const limit = limitOf(c.req.query("limit"));
    return await followed(c, context, ({ signal }) => session.toChatEvents({ ...limit, signal }));
  });
  app.post(CHAT, async (c) => {
    const session = await writable(c.var.grant, c.req.param("session"), "chat");
    const { input, regenerates, streams, ...sent } = chatMessageOf(await bodyOf(c));
    if (regenerates) await assertUnanswered(session, sent);
    const sending = { ...askedOf(c.var.grant, sent), again: regenerates };
    const { run, ...message } = await countMessage(context, c.var.grant, {
      session,
      id: sent.id,
      send: async () => {
        const begun = session.send(input, sending);
        // A message that cannot be sent is an error of the request.
        return { ...(await sentOnce(begun, sent)), run: begun };
      },
    });
    if (streams) return await followed(c, context, (request) => run.toUIMessageResponse(request));
    if (message.status === "dead_letter") throw givenUp(message);
    return Response.json(message, { status: 202 });
  });
  // The second path is the one that the default transport of `useChat` asks, with an id of the page.
  for (const path of [`${CHAT}/stream`, `${CHAT}/:page/stream`]) {
    app.get(path, async (c) => {
      const session = await readable(c.var.grant, c.req.param("session") ?? "", "chat");
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
    const session = await readable(grant, name, "chat");
    requireWrite(context, grant, { name, part: "chat" });
    const { reason, ...body } = await bodyOf(c);
    const stopped = await session.stop({ ...openOf(body), ...textOrNone("reason", reason) });
    return Response.json({ stopped });
  });
}

function approvalRoutes(app: Hono<ServerEnv>, context: ServerContext, serviceOf: SessionsProvider): void {
  app.get(APPROVALS, async (c) => {
    const status = statusOf(c.req.query("status") ?? "open");
    assertStaff(c.var.grant);
    const { approvals } = await serviceOf(c.var.grant.workspaceId);
    const filter = (approval: ServedApproval): boolean => maySee(c.var.grant, approval);
    return Response.json(await approvals.list({ ...present({ status }), filter }));
  });
  app.post(`${APPROVALS}/:approval`, async (c) => {
    const { grant } = c.var;
    assertStaff(grant);
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

/** Returns `undefined` for approvals of every status. Errors: `invalid`. */
function statusOf(asked: string): (typeof APPROVAL_STATUSES)[number] | undefined {
  const status = APPROVAL_STATUSES.find((one) => one === asked);
  if (status !== undefined || asked === "all") return status;
  throw new ContinuoError("invalid", `approvals have no status ${asked.slice(0, 40)}`, {
    hint: `Use one of ${APPROVAL_STATUSES.join(", ")}, or all.`,
  });
}

/**
 * Errors: `not_found` for a session of somebody else, as for a session that does not exist; `forbidden` for the rest of
 * a session if the grant has only its chat; `invalid` for the name of a log.
 */
function assertReadable(grant: Grant, name: string, part: ScopePart): void {
  if (name.includes("/"))
    throw new ContinuoError("invalid", "the id of a session cannot contain a slash here");
  if (may(grant, { name, part }, "read")) return;
  if (!may(grant, { name, part: "chat" }, "read")) throw unknown(name);
  throw new ContinuoError("forbidden", "this access allows only the chat of the session", {
    hint: "Let `authorize` return another `access`, or use the paths below `/v1/sessions/ID/chat`.",
    hintFor: "program",
  });
}

interface GrantTarget {
  readonly name: string;
  readonly part: ScopePart;
}

function may({ scopes }: Grant, { name, part }: GrantTarget, access: "read" | "write"): boolean {
  const kinds = part === "chat" ? (["session", "chat"] as const) : (["session"] as const);
  return kinds.some((kind) => allows(scopes, { kind, name, access }));
}

/** Errors: `forbidden`. */
function requireWrite(context: ServerContext, grant: Grant, place: GrantTarget): void {
  if (!may(grant, place, "write"))
    context.require(grant, { kind: "session", name: place.name, access: "write" });
}

/** Errors: `forbidden` for an agent that the person may not ask. */
function askedOf(
  { agents }: Grant,
  options: { readonly id?: string; readonly agent?: string },
): { readonly id?: string; readonly agent?: string } {
  const { agent = agents?.[0] } = options;
  if (agents !== undefined && (agent === undefined || !agents.includes(agent))) {
    throw new ContinuoError("forbidden", "this access does not allow this agent", {
      hint: "Let `authorize` return this agent in `agents`, or name another one.",
      hintFor: "program",
    });
  }
  return { ...options, ...present({ agent }) };
}

function givenUp({ id, runId, sessionId }: SentMessage): ContinuoError {
  return new ContinuoError("conflict", `the message ${id ?? runId} was given up after its last attempt`, {
    hint: "Send the message with a new id.",
    details: { id, runId, sessionId, status: "dead_letter" },
  });
}

/** Errors: `forbidden` for customers, who have only chats: an empty list would look as if no question waited. */
function assertStaff({ scopes }: Grant): void {
  const isStaff = scopes.some(({ kind }) => kind === "session" || kind === "approval" || kind === "admin");
  if (isStaff || !scopes.some(({ kind }) => kind === "chat")) return;
  throw new ContinuoError("forbidden", "this access allows no approvals", {
    hint: 'Ask for approvals only as staff: `access: "chat"` has none. Return `approve: true` only for those who may answer them.',
    hintFor: "program",
  });
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
  const connection = context.quotas.connect(c.var.grant, () => gone.abort(), { isStream: true });
  const { url, headers, signal: left } = c.req.raw;
  const signal = AbortSignal.any([gone.signal, left, context.draining]);
  const request = new Request(url, { headers, signal });
  const end = (): void => connection[Symbol.dispose]();
  let answer: Response;
  try {
    answer = await open(request);
  } catch (error) {
    end();
    throw error;
  }
  // A stream that observes the signal ends in its own way; any other stream is cut off.
  const body = answer.body?.pipeThrough(new TransformStream({ flush: end, cancel: end }));
  if (body === undefined) end();
  else keepRequests(body, c.req.raw, request);
  return new Response(body ?? null, { status: answer.status, headers: answer.headers });
}

/** Sessions, streams and approvals as a handler of fetch requests. Who may do what is the program's `authorize`. */

import { ContinuoError, httpStatusOf, isContinuoError, present } from "@continuo/core/model";
import type { Authorization, Continuo, FetchHandler, HandlerOptions } from "./types.ts";

interface Call {
  readonly continuo: Continuo;
  readonly request: Request;
  readonly allowed: Authorization;
  /** The words of the path that the route names. */
  readonly words: readonly string[];
}

interface Route {
  readonly method: "GET" | "POST";
  /** Matches the end of the path, wherever the handler is mounted. */
  readonly path: RegExp;
  readonly answer: (call: Call) => Promise<Response>;
}

/** Bytes of a request's body. */
const MAX_BODY = 1_048_576;

const ROUTES: readonly Route[] = [
  { method: "GET", path: /\/sessions\/([^/]+)$/u, answer: showSession },
  {
    method: "GET",
    path: /\/sessions\/([^/]+)\/events$/u,
    answer: async (call) => readable(call).toSSE(call.request),
  },
  {
    method: "GET",
    path: /\/sessions\/([^/]+)\/html$/u,
    answer: async (call) =>
      new Response(await readable(call).toHtml(), {
        headers: { "content-type": "text/html; charset=utf-8" },
      }),
  },
  { method: "POST", path: /\/sessions\/([^/]+)\/messages$/u, answer: sendMessage },
  { method: "POST", path: /\/sessions\/([^/]+)\/chat$/u, answer: chat },
  {
    method: "GET",
    path: /\/sessions\/([^/]+)\/runs\/([^/]+)\/events$/u,
    answer: async (call) => {
      const run = readable(call).run(call.words[1] ?? "");
      await run;
      return run.toSSE(call.request);
    },
  },
  { method: "GET", path: /\/approvals$/u, answer: listApprovals },
  { method: "POST", path: /\/approvals\/([^/]+)$/u, answer: resolveApproval },
];

export function createHandler(continuo: Continuo, { authorize }: HandlerOptions): FetchHandler {
  return async (request) => {
    try {
      const allowed = await authorize(request);
      if (allowed === null) return refusal(401, "unauthorized", "you are not known here");
      const { pathname } = new URL(request.url);
      const matching = ROUTES.filter(({ path }) => path.test(pathname));
      const route = matching.find(({ method }) => method === request.method);
      if (route === undefined) {
        return matching.length === 0
          ? refusal(404, "not_found", "there is no such page")
          : refusal(405, "usage", `this page is not for ${request.method}`);
      }
      const words = (route.path.exec(pathname) ?? []).slice(1).map(decode);
      return await route.answer({ continuo, request, allowed, words });
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      return refusal(httpStatusOf(error.code), error.code, error.message);
    }
  };
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new ContinuoError("usage", "the path is not well formed");
  }
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}

function mayRead({ sessions }: Authorization, sessionId: string): boolean {
  return sessions === "*" || sessions.includes(sessionId);
}

/** Errors: `not_found` for a session of somebody else, as for one that is not there. */
function readable({ continuo, allowed, words: [sessionId = ""] }: Call): ReturnType<Continuo["session"]> {
  if (!mayRead(allowed, sessionId)) throw unknown(sessionId);
  return continuo.session(sessionId);
}

function writable(call: Call): ReturnType<Continuo["session"]> {
  const { continuo, allowed, words } = call;
  const [sessionId = ""] = words;
  if (!mayRead(allowed, sessionId)) throw unknown(sessionId);
  if (allowed.access !== "write") throw forbidden("write to this session");
  return continuo.session(sessionId, { create: true });
}

function unknown(sessionId: string): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`);
}

function forbidden(what: string): ContinuoError {
  return new ContinuoError("forbidden", `you may not ${what}`);
}

async function showSession(call: Call): Promise<Response> {
  const session = readable(call);
  return Response.json({ sessionId: session.sessionId, messages: await session.messages() });
}

async function sendMessage(call: Call): Promise<Response> {
  const session = writable(call);
  const { text, id, agent } = await bodyOf(call.request);
  if (typeof text !== "string") throw new ContinuoError("usage", "the body needs a text");
  const options = { id: textOrNone("id", id), agent: textOrNone("agent", agent) };
  return Response.json(await session.send(text, present(options)), { status: 202 });
}

/** The request of `useChat`: the last message is the new one. */
async function chat(call: Call): Promise<Response> {
  const session = writable(call);
  const { messages } = await bodyOf(call.request);
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const { id, parts } = (last ?? {}) as { readonly id?: unknown; readonly parts?: unknown };
  const texts = Array.isArray(parts)
    ? parts.flatMap((part: { readonly type?: unknown; readonly text?: unknown } | null) =>
        part?.type === "text" && typeof part.text === "string" ? [part.text] : [],
      )
    : [];
  if (texts.length === 0)
    throw new ContinuoError("usage", "the body needs messages, the last one with a text");
  const run = session.send(texts.join("\n"), present({ id: textOrNone("id", id) }));
  // A message that cannot be sent is an error of the request.
  await run;
  return run.toUIMessageResponse();
}

async function listApprovals({ continuo, request, allowed }: Call): Promise<Response> {
  const status = new URL(request.url).searchParams.get("status") ?? "open";
  if (status !== "open" && status !== "granted" && status !== "denied" && status !== "cancelled") {
    throw new ContinuoError("usage", `there is no status ${status}`);
  }
  const all = await continuo.approvals.list({ status });
  return Response.json(all.filter(({ sessionId }) => mayRead(allowed, sessionId)));
}

async function resolveApproval({ continuo, request, allowed, words: [id = ""] }: Call): Promise<Response> {
  if (allowed.approve !== true) throw forbidden("answer approvals");
  const { outcome, reason } = await bodyOf(request);
  if (outcome !== "granted" && outcome !== "denied") {
    throw new ContinuoError("usage", "the body needs the outcome granted or denied");
  }
  const known = await continuo.approvals.get(id);
  if (known === null || !mayRead(allowed, known.sessionId)) {
    throw new ContinuoError("not_found", `there is no approval ${id}`);
  }
  const answer = { outcome, ...present({ by: allowed.by, reason: textOrNone("reason", reason) }) } as const;
  return Response.json(await continuo.approvals.resolve(id, answer));
}

function textOrNone(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  throw new ContinuoError("usage", `${name} must be a text`);
}

/** Errors: `usage`, `too_large`. */
async function bodyOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY) throw new ContinuoError("too_large", `the body has more than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof body === "object" && body !== null) return body as Readonly<Record<string, unknown>>;
  } catch {
    // Said below.
  }
  throw new ContinuoError("usage", "the body must be a JSON object");
}

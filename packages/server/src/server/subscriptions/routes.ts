/** `/v1/stream/__ds/…`: subscriptions over HTTP. */

import type { AuditAct } from "@continuo/core/model";
import { addressOf, STREAM_ROOT } from "@continuo/core/wire";
import { principalOf } from "../auth/index.ts";
import type { CreateMount, Grant, Peer, ServerContext } from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";
import { parseConfig, parsePath, parsePaths, type SubscriptionConfig } from "./config.ts";
import { encodeWorkspace } from "./deliveries.ts";
import {
  announceWorkspace,
  changeSubscription,
  insertSubscription,
  loadSubscription,
  removeSubscription,
  type Subscription,
} from "./documents.ts";
import {
  acknowledgeAll,
  cursorName,
  isLinked,
  linkOf,
  MAX_LINKS,
  type StreamLink,
  toStreamInfo,
} from "./links.ts";
import { Refusal } from "./refusal.ts";
import { type Ack, acknowledge, claimWake } from "./wakes.ts";
import { Watch } from "./watch.ts";
import { assertWebhookUrl } from "./webhook.ts";

const BASE = `${STREAM_ROOT}__ds`;

export const subscriptions: CreateMount = (context) => {
  const watch = new Watch(context);
  watch.start();
  const answer = async (peer: Peer, work: () => Promise<Response>): Promise<Response> => {
    try {
      return await work();
    } catch (error) {
      context.refused(error, peer);
      if (error instanceof Refusal) return error.toResponse();
      throw error;
    }
  };
  return {
    close: () => watch.close(),
    publicRoutes: (app) => {
      app.get(`${BASE}/jwks.json`, async () =>
        Response.json((await watch.keys()).jwks, {
          headers: { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300" },
        }),
      );
      // The token of the wake authorizes these requests.
      for (const action of ["callback", "ack", "release"] as const) {
        app.post(`${BASE}/subscriptions/:id/${action}`, (c) =>
          answer(c.env.peer, () =>
            settle({ request: c.req.raw, id: c.req.param("id"), action, context, watch }),
          ),
        );
      }
    },
    routes: (app) => {
      const path = `${BASE}/subscriptions/:id`;
      const on = (
        method: "put" | "get" | "delete" | "post",
        route: string,
        handler: (call: Call, rest: string) => Promise<Response>,
      ): void => {
        app[method](route, (c) => {
          const id = c.req.param("id") ?? "";
          const grant = c.var.grant;
          return answer(c.env.peer, async () => {
            requireAccess(context, grant, { id, method });
            return handler({ request: c.req.raw, grant, id, context, watch }, c.req.param("path") ?? "");
          });
        });
      };
      on("put", path, create);
      on("get", path, describe);
      on("delete", path, remove);
      on("post", `${path}/claim`, claim);
      on("post", `${path}/streams`, addStreams);
      on("delete", `${path}/streams/:path{.+}`, removeStream);
      app.all(`${BASE}/*`, () => new Refusal("SUBSCRIPTION_NOT_FOUND", "there is nothing here").toResponse());
    },
  };
};

interface Call {
  readonly request: Request;
  readonly grant: Grant;
  readonly id: string;
  readonly context: ServerContext;
  readonly watch: Watch;
}

/**
 * A subscription sees every path that it matches, and a webhook makes the server send requests: both need `admin`. A
 * worker needs `stream:__ds/subscriptions/ID:write`.
 */
function requireAccess(
  context: ServerContext,
  grant: Grant,
  { id, method }: { readonly id: string; readonly method: string },
): void {
  if (!/^[\w.~@-]{1,128}$/u.test(id)) throw new Refusal("INVALID_REQUEST", "the id is not plain text");
  if (method === "put" || method === "delete") context.require(grant, { kind: "admin" });
  else {
    const access = method === "get" ? "read" : "write";
    context.require(grant, { kind: "stream", name: `__ds/subscriptions/${id}`, access });
  }
}

async function create(call: Call): Promise<Response> {
  const { request, grant, id, context } = call;
  const config = parseConfig(await readJsonObject(request));
  if (config.webhookUrl !== null) assertWebhookUrl(config.webhookUrl, context.webhookHosts);
  const store = context.store(grant.workspaceId);
  const baseUrl = context.publicUrl ?? new URL(request.url).origin;
  const made: Subscription = {
    id,
    config,
    explicit: config.streams,
    createdAt: new Date().toISOString(),
    baseUrl,
    generation: 0,
    wake: null,
    status: "active",
    retries: 0,
    nextAttemptAt: null,
  };
  await announceWorkspace(context, grant.workspaceId);
  const found = await loadSubscription(store, id);
  if (found === null) {
    await acknowledgeAll(store, made);
    if (await insertSubscription(store, made)) {
      await recordChange(call, "subscription_changed");
      return described(call, made, 201);
    }
  }
  const there = found ?? (await loadSubscription(store, id));
  if (there === null || !isSame(there.subscription.config, config)) {
    throw new Refusal(
      "SUBSCRIPTION_ALREADY_EXISTS",
      "there is a subscription of that name with other settings",
    );
  }
  return described(call, there.subscription, 200);
}

function isSame(a: SubscriptionConfig, b: SubscriptionConfig): boolean {
  const keys = Object.keys(a) as (keyof SubscriptionConfig)[];
  return keys.every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

async function described(
  { grant, context, watch }: Call,
  subscription: Subscription,
  status: number,
): Promise<Response> {
  const { id, config, createdAt, baseUrl } = subscription;
  const links = await linksOf({ context, watch, workspaceId: grant.workspaceId }, subscription);
  const signing =
    config.webhookUrl === null
      ? undefined
      : { alg: "ed25519", kid: (await watch.keys()).keyId, jwks_url: `${baseUrl}${BASE}/jwks.json` };
  const body = {
    id,
    subscription_id: id,
    type: config.type,
    pattern: config.pattern ?? undefined,
    streams: links.map(toStreamInfo),
    webhook: config.webhookUrl === null ? undefined : { url: config.webhookUrl, signing },
    wake_stream: config.wakeStream ?? undefined,
    lease_ttl_ms: config.leaseTtlMs,
    created_at: createdAt,
    status: subscription.status,
    description: config.description ?? undefined,
  };
  return Response.json(body, { status });
}

/** The first thousand links: those that were named, those that were acknowledged, and those that wait. */
async function linksOf(
  { context, watch, workspaceId }: Pick<Call, "context" | "watch"> & { readonly workspaceId: string },
  subscription: Subscription,
): Promise<readonly StreamLink[]> {
  const store = context.store(workspaceId);
  const { items } = await store.listCursors({ name: cursorName(subscription), limit: MAX_LINKS });
  const pending = await watch.pendingOf(workspaceId, subscription.id);
  const logIds = new Set([
    ...subscription.explicit.map((path) => addressOf(path).logId),
    ...items.map(({ logId }) => logId),
    ...pending.map(({ logId }) => logId),
  ]);
  const links = await Promise.all(
    [...logIds].slice(0, MAX_LINKS).map((logId) => linkOf(store, subscription, logId)),
  );
  return links.filter((link) => link !== null);
}

async function describe(call: Call): Promise<Response> {
  const found = await loadSubscription(call.context.store(call.grant.workspaceId), call.id);
  if (found === null) throw notFound();
  return described(call, found.subscription, 200);
}

/** Records the change in the audit log, because a subscription makes the server send events to an address. */
async function recordChange({ grant, id, context }: Call, what: AuditAct): Promise<void> {
  await context.store(grant.workspaceId, principalOf(grant)).recordAudit({ what, target: id });
}

async function remove(call: Call): Promise<Response> {
  const { grant, id, context } = call;
  await removeSubscription(context.store(grant.workspaceId), id);
  await recordChange(call, "subscription_deleted");
  return new Response(null, { status: 204 });
}

async function addStreams(call: Call): Promise<Response> {
  const { request, grant, id, context } = call;
  const added = parsePaths((await readJsonObject(request)).streams);
  const store = context.store(grant.workspaceId);
  const found = await loadSubscription(store, id);
  if (found === null) throw notFound();
  assertFew([...found.subscription.explicit, ...added]);
  // A stream that is linked by the pattern keeps its records that wait.
  const fresh = added.filter((path) => !isLinked(found.subscription, path));
  await acknowledgeAll(store, {
    ...found.subscription,
    config: { ...found.subscription.config, pattern: null },
    explicit: fresh,
  });
  await changeSubscription(store, id, async (subscription) => {
    const explicit = assertFew([...subscription.explicit, ...added]);
    return { subscription: { ...subscription, explicit }, result: null };
  });
  await recordChange(call, "subscription_changed");
  return new Response(null, { status: 204 });
}

/** The paths, each once. */
function assertFew(paths: readonly string[]): readonly string[] {
  const explicit = [...new Set(paths)];
  if (explicit.length <= MAX_LINKS) return explicit;
  throw new Refusal("INVALID_REQUEST", `a subscription names at most ${MAX_LINKS} streams`);
}

async function removeStream(call: Call, rest: string): Promise<Response> {
  const { grant, id, context } = call;
  const path = parsePath(rest, "the path");
  await changeSubscription(context.store(grant.workspaceId), id, async (subscription) => ({
    subscription: { ...subscription, explicit: subscription.explicit.filter((one) => one !== path) },
    result: null,
  }));
  await recordChange(call, "subscription_changed");
  return new Response(null, { status: 204 });
}

async function claim({ request, grant, id, context, watch }: Call): Promise<Response> {
  const { worker } = await readJsonObject(request);
  if (typeof worker !== "string" || worker === "" || worker.length > 512) {
    throw new Refusal("INVALID_REQUEST", "worker is not a short text");
  }
  const { workspaceId } = grant;
  const store = context.store(workspaceId);
  const found = await loadSubscription(store, id);
  if (found === null) throw notFound();
  if (found.subscription.config.type !== "pull-wake") throw wrongType("pull-wake");
  const pending = await watch.pendingOf(workspaceId, id);
  const claimed = await claimWake(store, id, { worker, pending, clock: watch.clock });
  const { generation, createdAt, wake, config } = claimed;
  const keys = await watch.keys();
  const subject = { workspaceId, subscriptionId: id, createdAt, generation };
  return Response.json({
    wake_id: wake?.id,
    generation,
    token: `${encodeWorkspace(workspaceId)}.${keys.signCallback(subject, Date.now())}`,
    streams: pending.map(toStreamInfo),
    lease_ttl_ms: config.leaseTtlMs,
  });
}

interface Settlement extends Omit<Call, "grant"> {
  readonly action: "callback" | "ack" | "release";
}

/** Processes what a worker reports about the wake that it holds. */
async function settle({ request, id, action, context, watch }: Settlement): Promise<Response> {
  const { workspaceId, token } = tokenOf(request);
  const store = context.store(workspaceId);
  const found = await loadSubscription(store, id);
  const now = Date.now();
  const { createdAt, config } = found?.subscription ?? { createdAt: "", config: null };
  // Without a valid token, a caller does not learn whether the subscription exists.
  const subject = { workspaceId, subscriptionId: id, createdAt };
  const tokenGeneration = (await watch.keys()).verifyCallback(token, subject, now);
  const wanted = action === "callback" ? "webhook" : "pull-wake";
  if (config?.type !== wanted) throw wrongType(wanted);
  const body = await readJsonObject(request);
  const done = action === "release" || body.done === true;
  await acknowledge(store, id, {
    wakeId: body.wake_id,
    generation: body.generation,
    tokenGeneration,
    acks: action === "release" ? [] : acksOf(body.acks),
    done,
  });
  const nextWake = done && (await watch.wakeIfPending(workspaceId, id));
  if (action === "release") return new Response(null, { status: 204 });
  return Response.json({ ok: true, next_wake: nextWake });
}

/** `WORKSPACE.PAYLOAD.MAC`: the MAC covers the workspace. */
function tokenOf(request: Request): { readonly workspaceId: string; readonly token: string } {
  const bearer = /^Bearer ([\w-]+)\.([\w-]+\.[\w-]+)$/u.exec(request.headers.get("authorization") ?? "");
  const workspaceId = Buffer.from(bearer?.[1] ?? "", "base64url").toString();
  if (bearer?.[2] === undefined || !/^\P{Cc}{1,512}$/u.test(workspaceId)) {
    throw new Refusal("TOKEN_INVALID", "the token of the wake is missing or malformed");
  }
  return { workspaceId, token: bearer[2] };
}

function acksOf(value: unknown): readonly Ack[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_LINKS) {
    throw new Refusal("INVALID_REQUEST", "acks is not an array, or too long");
  }
  return value.map((ack: unknown) => {
    if (typeof ack !== "object" || ack === null)
      throw new Refusal("INVALID_REQUEST", "an ack is not an object");
    const { stream, path, offset } = ack as Readonly<Record<string, unknown>>;
    return { path: parsePath(stream ?? path, "acks"), offset };
  });
}

function notFound(): Refusal {
  return new Refusal("SUBSCRIPTION_NOT_FOUND", "there is no such subscription");
}

function wrongType(type: string): Refusal {
  return new Refusal("INVALID_REQUEST", `the subscription is not ${type}`);
}

/** Continuous sessions over HTTP. */

import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { allows, type ExpiringPictures, type LiveSession, type Scope } from "@continuo/core/wire";
import {
  type LiveService,
  parseAudio,
  parseEvidenceBatch,
  parseNoteOperation,
  parsePageOperation,
  parseQuestion,
  parseReplayContext,
  parseReplayMode,
  parseSessionRequest,
} from "@continuo/live";
import type { Hono } from "hono";
import { Buckets } from "../auth/index.ts";
import { owns } from "../blobs/index.ts";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { parseJson, readBody, readJsonObject } from "../http/index.ts";
import { exportRoutes } from "./export-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { LIMITS } from "./limits.ts";
import { removalRoutes } from "./removal-routes.ts";
import type { KeyAccess } from "./request-input.ts";
import type { LiveServices } from "./services.ts";

export function liveRoutes(app: Hono<ServerEnv>, context: ServerContext, services: LiveServices): void {
  const asked: KeyAccess = async (c, access) => {
    const key = c.req.param("key") ?? "";
    const { grant } = c.var;
    context.require(grant, { kind: "live", name: key, access });
    return { key, service: await services.of(grant.workspaceId).of(key) };
  };
  sessionRoutes(app, context, { services, asked });
  writerRoutes(app, context, asked);
  pictureRoutes(app, asked);
  removalRoutes(app, services, asked);
  noteRoutes(app, asked);
  checkRoutes(app, asked);
  exportRoutes(app, asked);
  historyRoutes(app, asked);
}

interface LiveRequest {
  readonly services: LiveServices;
  readonly asked: KeyAccess;
}

function sessionRoutes(app: Hono<ServerEnv>, context: ServerContext, { services, asked }: LiveRequest): void {
  app.get("/v1/live", async (c) => {
    const service = await services.of(c.var.grant.workspaceId).stored();
    const wanted = Math.trunc(Number(c.req.query("limit") ?? 100)) || 100;
    const limit = Math.max(1, Math.min(wanted, LIMITS.sessions));
    const page = present({ limit, cursor: c.req.query("cursor") });
    const { scopes } = c.var.grant;
    const mayRead = (name: string): boolean => allows(scopes, { kind: "live", name, access: "read" });
    if (parseListed(c.req.query("status")) === "removed") {
      const removed = await service.removals.list(page);
      const shown = removed.items.filter(({ key }) => mayRead(key));
      return Response.json({ sessions: shown, nextCursor: removed.nextCursor });
    }
    const { items, nextCursor } = await service.list(page);
    const sessions = items.flatMap((session) => withKeys(session, mayRead) ?? []);
    return Response.json({ sessions, nextCursor });
  });
  app.put("/v1/live/:key", async (c) => {
    const key = c.req.param("key");
    const { grant } = c.var;
    context.require(grant, { kind: "live", name: key, access: "write" });
    const wanted = parseSessionRequest(await readJsonObject(c.req.raw));
    const host = services.of(grant.workspaceId);
    const { noteWriter } = wanted;
    if (noteWriter !== undefined && !(await host.of(key)).writers.isNamed(noteWriter))
      mayOffer(context, grant);
    const opened = await context.quotas.log(grant, {
      exists: async () => hasSession(await host.of(key), key),
      create: () => host.open(key, wanted, reachOf(grant.scopes)),
    });
    return Response.json(opened, { status: opened.created ? 201 : 200 });
  });
  app.get("/v1/live/:key", async (c) => {
    const { key, service } = await asked(c, "read");
    return Response.json(await service.session(key));
  });
  app.delete("/v1/live/:key", async (c) => {
    const { key, service } = await asked(c, "write");
    await service.close(key);
    return Response.json(await service.session(key));
  });
  app.post("/v1/live/:key/ping", async (c) => {
    const { key, service } = await asked(c, "write");
    await service.ping(key);
    return new Response(null, { status: 204 });
  });
  app.post("/v1/live/:key/evidence", async (c) => {
    const { key, service } = await asked(c, "write");
    const batch = parseEvidenceBatch(await readJson(c.req.raw));
    const { grant } = c.var;
    const store = context.store(grant.workspaceId);
    const mayUse = (hash: string): Promise<boolean> => owns(store, grant, hash);
    return Response.json(await service.accept(key, batch, mayUse));
  });
  app.post("/v1/live/:key/audio", async (c) => {
    const { key, service } = await asked(c, "write");
    const upload = parseAudio({
      bytes: await readBody(c.req.raw, LIMITS.audioBytes),
      mediaType: c.req.header("content-type") ?? "",
      startMs: c.req.query("startMs"),
      endMs: c.req.query("endMs"),
      lang: c.req.query("lang"),
      speaker: c.req.query("speaker"),
      videoId: c.req.query("videoId"),
      id: c.req.query("id"),
    });
    return Response.json(await service.acceptAudio(key, upload));
  });
  app.post("/v1/live/:key/join", async (c) => {
    const { key, service } = await asked(c, "write");
    // After the call, the other key names the session of this key, so its clients can read these notes.
    context.require(c.var.grant, { kind: "live", name: key, access: "read" });
    const { key: other } = await readJsonObject(c.req.raw);
    if (typeof other !== "string") throw new ContinuoError("invalid", "key must be a text");
    context.require(c.var.grant, { kind: "live", name: other, access: "write" });
    await service.join(key, other);
    return Response.json(await service.session(other));
  });
  app.delete("/v1/videos/:video", async (c) => {
    context.require(c.var.grant, { kind: "admin" });
    const service = await services.of(c.var.grant.workspaceId).stored();
    return Response.json({ deleted: await service.deleteVideo(c.req.param("video")) });
  });
}

/**
 * Writers that were not named at the server's start are programs of its machine, and may cost money. They are offered
 * only to tokens that may write all sessions, such as the token of the person's own extension. Errors: `forbidden`.
 */
function mayOffer(context: ServerContext, grant: ServerEnv["Variables"]["grant"]): void {
  context.require(grant, { kind: "live", name: "*", access: "write" });
}

function writerRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: KeyAccess): void {
  app.get("/v1/live/:key/writers", async (c) => {
    const { key, service } = await asked(c, "write");
    mayOffer(context, c.var.grant);
    return Response.json({ writers: await service.writers.offered(key) });
  });
  app.post("/v1/live/:key/writer", async (c) => {
    const { key, service } = await asked(c, "write");
    const { name } = await readJsonObject(c.req.raw);
    if (typeof name !== "string" || name === "") throw new ContinuoError("invalid", "name must be a text");
    mayOffer(context, c.var.grant);
    await service.writers.choose(key, name);
    return Response.json(await service.session(key));
  });
}

const ACCESSES = ["read", "write"] as const;

function pictureRoutes(app: Hono<ServerEnv>, asked: KeyAccess): void {
  app.get("/v1/live/:key/expiring", async (c) => {
    const { key, service } = await asked(c, "read");
    const { videoId } = await service.session(key);
    const pictures = await service.frames.expiring(videoId);
    const access = ACCESSES.filter((one) =>
      allows(c.var.grant.scopes, { kind: "live", name: key, access: one }),
    );
    return Response.json({ pictures, access } satisfies ExpiringPictures);
  });
  app.post("/v1/live/:key/blobs/:hash/keep", async (c) => {
    const { key, service } = await asked(c, "write");
    await service.keepPicture(key, c.req.param("hash"));
    return new Response(null, { status: 204 });
  });
}

/** Errors: `invalid`. */
function parseListed(status: string | undefined): "all" | "removed" {
  if (status === undefined) return "all";
  if (status === "removed") return status;
  throw new ContinuoError("invalid", "status must be `removed`, or left out");
}

/** The session with the keys that the client may read; `null` if it may read none. */
function withKeys({ keys, ...session }: LiveSession, mayRead: (key: string) => boolean): LiveSession | null {
  const readable = (keys ?? [session.key]).filter(mayRead);
  const [key] = readable;
  if (key === undefined) return null;
  return { ...session, key, ...present({ keys: readable.length > 1 ? readable : undefined }) };
}

/**
 * The names of the keys that the client may both read and write: a client that continues the session of another key
 * gets the notes of that session, and can change them.
 */
function reachOf(scopes: readonly Scope[]): readonly string[] {
  const names = scopes.flatMap((scope) => (scope.kind === "live" ? [scope.name] : []));
  return ["*", ...names].filter((name) =>
    (["read", "write"] as const).every((access) => allows(scopes, { kind: "live", name, access })),
  );
}

async function hasSession(service: LiveService, key: string): Promise<boolean> {
  try {
    await service.sessionIdOf(key);
    return true;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return false;
    throw error;
  }
}

function noteRoutes(app: Hono<ServerEnv>, asked: KeyAccess): void {
  const questions = new Buckets({
    perSecond: LIMITS.asksPerSecond,
    burst: LIMITS.askBurst,
    message: "too many questions were asked about the session",
  });
  app.post("/v1/live/:key/notes/:note", async (c) => {
    const { key, service } = await asked(c, "write");
    const operation = parseNoteOperation(await readJsonObject(c.req.raw));
    return Response.json(await service.operate(key, c.req.param("note"), operation));
  });
  app.get("/v1/live/:key/notes", async (c) => {
    const { key, service } = await asked(c, "read");
    return Response.json({ notes: await service.notes(key) });
  });
  app.get("/v1/live/:key/page", async (c) => {
    const { key, service } = await asked(c, "read");
    return Response.json({ page: await service.page(key) });
  });
  app.post("/v1/live/:key/page/:item", async (c) => {
    const { key, service } = await asked(c, "write");
    const operation = parsePageOperation(await readJsonObject(c.req.raw));
    return Response.json(await service.operateOnPage(key, c.req.param("item"), operation));
  });
  app.post("/v1/live/:key/context/:request", async (c) => {
    const { key, service } = await asked(c, "write");
    const { text, mediaTimeMs } = await readJsonObject(c.req.raw);
    return Response.json(await service.answer(key, c.req.param("request"), { text, mediaTimeMs }));
  });
  app.post("/v1/live/:key/ask", async (c) => {
    const { key, service } = await asked(c, "write");
    const question = parseQuestion(await readJsonObject(c.req.raw));
    questions.take(await service.sessionIdOf(key), performance.now());
    return Response.json(await service.ask(key, question, c.req.raw.signal));
  });
}

function checkRoutes(app: Hono<ServerEnv>, asked: KeyAccess): void {
  app.post("/v1/live/:key/replay", async (c) => {
    const { mode, context: given } = await readJsonObject(c.req.raw);
    const parts = parseReplayContext(given);
    const known = parseReplayMode(mode);
    // Asking the model again costs money.
    const { key, service } = await asked(c, known === "model" ? "write" : "read");
    return Response.json(await service.replay(key, known, { context: parts, signal: c.req.raw.signal }));
  });
  app.post("/v1/live/:key/verify", async (c) => {
    const { key, service } = await asked(c, "read");
    return Response.json(await service.verify(key));
  });
  app.post("/v1/live/:key/repair", async (c) => {
    const { key, service } = await asked(c, "write");
    const quarantined = await service.repair(key);
    return Response.json({ ...(await service.session(key)), quarantined });
  });
}

/** Errors: `invalid`, `too_large`. */
async function readJson(request: Request): Promise<unknown> {
  return await parseJson(await readBody(request, LIMITS.batchBytes));
}

/** Removing sessions and videos over HTTP, and bringing them back. */

import { ContinuoError, present } from "@continuo/core/model";
import { allows, type Scope } from "@continuo/core/wire";
import type { Hono } from "hono";
import type { ServerEnv } from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";
import type { KeyAccess } from "./request-input.ts";
import type { LiveServices } from "./services.ts";

export function removalRoutes(app: Hono<ServerEnv>, services: LiveServices, asked: KeyAccess): void {
  app.post("/v1/live/:key/remove", async (c) => {
    const { key, service } = await asked(c, "write");
    const sessionId = sessionIdIn(await readJsonObject(c.req.raw));
    const mayChange = writable(c.var.grant.scopes);
    return Response.json(await service.removals.remove(key, { ...present({ sessionId }), mayChange }));
  });
  app.post("/v1/live/:key/restore", async (c) => {
    const { key, service } = await asked(c, "write");
    const sessionId = sessionIdIn(await readJsonObject(c.req.raw));
    const mayChange = writable(c.var.grant.scopes);
    const back = await service.removals.restore(key, { ...present({ sessionId }), mayChange });
    return Response.json(await service.session(back));
  });
  app.post("/v1/videos/:video/remove", async (c) => {
    const { grant } = c.var;
    const service = await services.of(grant.workspaceId).stored();
    const removed = await service.removals.removeVideo(c.req.param("video"), writable(grant.scopes));
    return Response.json({ sessions: removed });
  });
  app.post("/v1/videos/:video/restore", async (c) => {
    const { grant } = c.var;
    const service = await services.of(grant.workspaceId).stored();
    const keys = await service.removals.restoreVideo(c.req.param("video"), writable(grant.scopes));
    return Response.json({ sessions: await Promise.all(keys.map((key) => service.session(key))) });
  });
}

function writable(scopes: readonly Scope[]): (key: string) => boolean {
  return (name) => allows(scopes, { kind: "live", name, access: "write" });
}

/** Errors: `invalid`. */
function sessionIdIn({ sessionId }: Readonly<Record<string, unknown>>): string | undefined {
  if (sessionId === undefined || typeof sessionId === "string") return sessionId;
  throw new ContinuoError("invalid", "sessionId must be a text");
}

/** The routes of `continuo live export`: evidence page by page, and the pictures that it refers to. */

import { toHashedWireEvent } from "@continuo/core/wire";
import { readEvidence } from "@continuo/live";
import type { Hono } from "hono";
import type { ServerEnv } from "../context/index.ts";
import { downloadHeaders } from "../http/index.ts";
import { type KeyAccess, sequenceOf } from "./request-input.ts";

export function exportRoutes(app: Hono<ServerEnv>, asked: KeyAccess): void {
  app.get("/v1/live/:key/evidence", async (c) => {
    const { key, service } = await asked(c, "read");
    const after = sequenceOf(c.req.query("after") ?? "0");
    const { events, nextAfter } = await readEvidence(
      service.soundStore,
      await service.sessionIdOf(key),
      after,
    );
    return Response.json({ events: events.map(toHashedWireEvent), nextAfter });
  });
  app.get("/v1/live/:key/blobs/:hash", async (c) => {
    const { key, service } = await asked(c, "read");
    const place = { sequence: sequenceOf(c.req.query("sequence")), hash: c.req.param("hash") };
    const blob = await service.openPicture(key, place);
    return new Response(ReadableStream.from(blob.bytes) as ReadableStream<Uint8Array>, {
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(blob.sizeBytes),
        ...downloadHeaders(`continuo-${place.hash.slice(0, 16)}.bin`),
        "cache-control": "no-store",
      },
    });
  });
}

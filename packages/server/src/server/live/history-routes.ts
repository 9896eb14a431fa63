/** A session in windows, the outline of its video, and where one of its notes comes from. */

import { present } from "@continuo/core/model";
import { Outlines, parseHistoryQuery, readHistory, readNoteHistory } from "@continuo/live";
import type { Hono } from "hono";
import type { ServerEnv } from "../context/index.ts";
import { type KeyAccess, sequenceOf } from "./request-input.ts";

export function historyRoutes(app: Hono<ServerEnv>, asked: KeyAccess): void {
  const outlines = new Outlines();
  app.get("/v1/live/:key/history", async (c) => {
    const { key, service } = await asked(c, "read");
    const query = parseHistoryQuery(c.req.queries());
    return Response.json(await readHistory(service.soundStore, await service.sessionIdOf(key), query));
  });
  app.get("/v1/live/:key/outline", async (c) => {
    const { key, service } = await asked(c, "read");
    const sessionId = await service.sessionIdOf(key);
    return Response.json(await outlines.of(service.soundStore, sessionId, c.req.query("videoId")));
  });
  app.get("/v1/live/:key/notes/:note/related", async (c) => {
    const { key, service } = await asked(c, "read");
    return Response.json({ related: await service.related(key, c.req.param("note")) });
  });
  app.get("/v1/live/:key/notes/:note/history", async (c) => {
    const { key, service } = await asked(c, "read");
    const at = c.req.query("at");
    const place = {
      sessionId: await service.sessionIdOf(key),
      noteId: c.req.param("note"),
      at: at === undefined ? undefined : sequenceOf(at),
    };
    return Response.json(await readNoteHistory(service.soundStore, present(place)));
  });
}

/** The list of sessions, what changes in it, who wrote a file, the usage, and the health of the machine. */

import { present } from "@continuo/core/model";
import { LIST_PARTS, LIST_SORTS, MACHINE_ROOT, ONLY_READS } from "@continuo/core/wire/machine";
import type { Hono } from "hono";
import { z } from "zod";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { mayChange } from "./chat-routes.ts";
import { eventStream } from "./event-stream.ts";
import { COUNT, type MachineAccess, NAME, parseQuery, WORDS } from "./request-input.ts";

const TIME = z.iso.datetime({ offset: false });

const USAGE = z.strictObject({ since: TIME.optional() });
const LIST = z.strictObject({
  agent: z
    .array(z.string().regex(/^[a-z][a-z0-9-]{0,63}$/u))
    .max(50)
    .optional(),
  project: WORDS.optional(),
  since: TIME.optional(),
  until: TIME.optional(),
  tag: z.array(WORDS).max(20).optional(),
  pinned: z.literal("only").optional(),
  part: z.enum(LIST_PARTS).optional(),
  title: WORDS.optional(),
  text: WORDS.optional(),
  archived: z.enum(["include", "exclude", "only"]).optional(),
  deleted: z.enum(["exclude", "only"]).optional(),
  sort: z.enum(LIST_SORTS).optional(),
  limit: COUNT.pipe(z.number().min(1).max(500)).optional(),
  partial: z.literal("allow").optional(),
  cursor: NAME.max(2_000).optional(),
});

export function listRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  app.get(`${MACHINE_ROOT}/sessions`, async (c) => {
    const service = await asked(c, "read");
    const query = parseQuery(c, LIST, ["agent", "tag"]);
    const page = await service.sessions(present(query), c.req.raw.signal);
    return Response.json((await mayChange(c, asked)) ? page : { ...page, readOnly: ONLY_READS });
  });
  app.get(`${MACHINE_ROOT}/files`, async (c) => {
    const service = await asked(c, "read");
    const { path } = parseQuery(c, z.strictObject({ path: NAME.max(2_000) }));
    return Response.json(await service.fileBlame(path, c.req.raw.signal));
  });
  app.get(`${MACHINE_ROOT}/health`, async (c) => {
    const service = await asked(c, "read");
    parseQuery(c, z.strictObject({}));
    return Response.json(await service.health());
  });
  app.get(`${MACHINE_ROOT}/at-risk`, async (c) => {
    const service = await asked(c, "read");
    parseQuery(c, z.strictObject({}));
    return Response.json(await service.atRisk(c.req.raw.signal));
  });
  app.get(`${MACHINE_ROOT}/usage`, async (c) => {
    const service = await asked(c, "read");
    return Response.json(await service.usage(present(parseQuery(c, USAGE))));
  });
  app.get(`${MACHINE_ROOT}/sessions/events`, async (c) => {
    const service = await asked(c, "read");
    return eventStream(c, context, async function* (signal) {
      for await (const data of service.changed(signal)) yield { event: "changed", data };
    });
  });
}

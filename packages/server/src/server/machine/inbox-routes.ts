/** The inbox over HTTP. Each caller receives what its token allows there. */

import { type InboxState, MACHINE_ROOT } from "@continuo/core/wire/machine";
import type { Hono } from "hono";
import { z } from "zod";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { rightsOf } from "./chat-routes.ts";
import { eventStream } from "./event-stream.ts";
import { bodyOf, type MachineAccess, NAME, parseQuery } from "./request-input.ts";

const INBOX = `${MACHINE_ROOT}/inbox`;
const NOTHING = z.strictObject({});
const SEEN = z.union([
  z.strictObject({ keys: z.array(NAME).max(200) }),
  z.strictObject({ all: z.literal(true) }),
]);

export function inboxRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  app.get(INBOX, async (c) => {
    const { inbox } = await asked(c, "read");
    parseQuery(c, NOTHING);
    const rights = await rightsOf(c, asked);
    const state: InboxState = { ...(await inbox.now(c.req.raw.signal)), rights };
    return Response.json(state);
  });
  app.get(`${INBOX}/events`, async (c) => {
    const { inbox } = await asked(c, "read");
    parseQuery(c, NOTHING);
    const rights = await rightsOf(c, asked);
    return eventStream(c, context, async function* (signal) {
      for await (const state of inbox.events(signal)) yield { event: "inbox", data: { ...state, rights } };
    });
  });
  app.post(`${INBOX}/seen`, async (c) => {
    const { inbox } = await asked(c, "answer");
    await inbox.see(await bodyOf(c, SEEN));
    return Response.json({});
  });
}

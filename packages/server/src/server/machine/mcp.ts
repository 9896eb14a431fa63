/** The Model Context Protocol at `/mcp`, for agents that ask about the sessions of this machine. */

import { ContinuoError } from "@continuo/core/model";
import { credentialsOf } from "../auth/index.ts";
import type { CreateMount } from "../context/index.ts";
import { received } from "../http/index.ts";

export const mcp: CreateMount = (context) => ({
  publicRoutes: (app) => {
    app.all("/mcp", async (c) => {
      if (context.mcp === undefined)
        throw new ContinuoError("not_found", "there is no resource at this path");
      const grant = await context.authenticate(credentialsOf(c.req.raw), c.env.peer);
      context.quotas.request(grant);
      context.require(grant, { kind: "machine", access: "read" });
      // An answer takes only moments: it is sent even if the token is revoked in the meantime.
      using _connection = context.quotas.connect(grant, () => undefined);
      using reception = context.quotas.receive(grant);
      const answer = await context.mcp.fetch(received(c.req.raw, reception));
      answer.headers.set("cache-control", "no-store");
      return answer;
    });
  },
  close: async () => await context.mcp?.close(),
});

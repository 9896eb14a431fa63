/**
 * Endpoints for operators: `/healthz`, `/readyz`, `/metrics`, and the audit log at `/v1/audit`.
 *
 * Promises: the first three are cheap enough for one request per second; only a token with `admin` reads the audit log,
 * and only that of its workspace.
 * Does not know: what is counted or recorded, or why.
 */

import { ContinuoError } from "@continuo/core/model";
import { SERVER_LOGS } from "@continuo/core/wire";
import { credentialsOf } from "../auth/index.ts";
import type { CreateMount } from "../context/index.ts";

export { audit } from "./audit.ts";
export { createMetrics } from "./metrics.ts";
export { measureProcess, observeRequest, serverMeter } from "./telemetry.ts";

export const operation: CreateMount = (context) => ({
  publicRoutes: (app) => {
    app.get("/healthz", () => new Response("ok\n"));
    app.get("/readyz", async () => {
      try {
        await context.store("default").getLog(`${SERVER_LOGS}ready`, { signal: AbortSignal.timeout(2_000) });
      } catch (cause) {
        throw new ContinuoError("unavailable", "the store does not answer", { cause });
      }
      return new Response("ready\n");
    });
    app.get("/metrics", async (c) => {
      // The address does not decide, because a proxy on this machine forwards the requests of strangers.
      const grant = await context.authenticate(credentialsOf(c.req.raw), c.env.peer);
      context.require(grant, { kind: "metrics" });
      return new Response(context.metrics.text(), {
        headers: { "cache-control": "no-store", "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      });
    });
  },
});

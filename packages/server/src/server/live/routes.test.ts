/** The routes of continuous sessions and of Whisper, without a network. */

import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { Grant, ServerContext, ServerEnv } from "../context/index.ts";
import { failure } from "../http/index.ts";
import { LIMITS } from "./limits.ts";
import { liveRoutes } from "./routes.ts";
import type { LiveServices } from "./services.ts";
import { whisperRoutes } from "./whisper-routes.ts";

const GRANT = { tokenId: "t", workspaceId: "w", scopes: [] } as unknown as Grant;

function appWith(routes: (app: Hono<ServerEnv>) => void): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.onError((error) => failure(error));
  app.use(async (c, next) => {
    c.set("grant", GRANT);
    await next();
  });
  routes(app);
  return app;
}

test("the questions about one session have one limit, under whichever of its keys they are asked", async () => {
  const service = {
    sessionIdOf: async (key: string) => (key === "other" ? "second" : "first"),
    ask: async () => ({ text: "Nothing was noted yet." }),
  };
  const services = { of: () => ({ of: async () => service }) } as unknown as LiveServices;
  const context = { require: () => undefined } as unknown as ServerContext;
  const app = appWith((made) => liveRoutes(made, context, services));
  const ask = async (key: string): Promise<number> =>
    (await app.request(`/v1/live/${key}/ask`, { method: "POST", body: '{"question":"What is this?"}' }))
      .status;
  const statuses: number[] = [];
  for (let n = 0; n < LIMITS.askBurst; n++) statuses.push(await ask(n % 2 === 0 ? "a" : "b"));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect([await ask("a"), await ask("b"), await ask("other")]).toEqual([429, 429, 200]);
});

test("a file of Whisper that becomes shorter while it is sent breaks off, and is not sent as if it were complete", async () => {
  const whisperFolder = scratchFolder("whisper");
  const file = join(whisperFolder, "model.onnx");
  writeFileSync(file, Buffer.alloc(1_000));
  const context = { require: () => undefined, whisperFolder } as unknown as ServerContext;
  const app = appWith((made) => whisperRoutes(made, context));
  const whole = await app.request("/v1/whisper/model.onnx");
  expect((await whole.arrayBuffer()).byteLength).toBe(1_000);
  const broken = await app.request("/v1/whisper/model.onnx");
  truncateSync(file, 400);
  await expect(broken.arrayBuffer()).rejects.toThrow("became shorter");
});

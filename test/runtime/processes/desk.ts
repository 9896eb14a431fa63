/**
 * A support desk, as a developer writes it: a chat for browsers, its history, and the streams and approvals of
 * Continuo.
 */

import { appendFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { jsonSchema, tool } from "ai";
import { Hono } from "hono";
import { defineAgent, openContinuo } from "../../../src/index.ts";

const [url = "", models = "", refunds = ""] = process.argv.slice(2);
const refund = tool({
  inputSchema: jsonSchema<{ order: string }>({ type: "object", properties: { order: { type: "string" } } }),
  needsApproval: true,
  execute: async ({ order }) => {
    appendFileSync(refunds, `${order}\n`);
    return "refunded";
  },
});
const userOf = (request: Request): string => request.headers.get("x-user") ?? "";

const desk = defineAgent({
  name: "desk",
  model: createOpenAICompatible({ name: "fake", baseURL: models })("fake-1"),
  instructions: "You answer the customers of a shop.",
  tools: { refund },
  context: { maxTokens: "window" },
});
const c = await openContinuo(url, {
  agents: [desk],
  recover: "retry",
  retry: { attempts: 1_000, backoffMs: 1 },
});
const app = new Hono();
app.post("/chat", async (x) => {
  const { id, text } = await x.req.json();
  const run = c.session(`customer-${userOf(x.req.raw)}`, { create: true }).send(text, { id });
  return run.toUIMessageResponse();
});
app.get("/history", async (x) => x.html(await c.session(`customer-${userOf(x.req.raw)}`).toHtml()));
app.mount(
  "/continuo",
  c.handler({
    authorize: (request) => ({
      sessions: [`customer-${userOf(request)}`],
      access: "read",
      approve: true,
      by: userOf(request),
    }),
  }),
);
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`port ${port}`));

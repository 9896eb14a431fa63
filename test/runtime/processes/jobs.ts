/** A coding agent behind HTTP, as a developer writes it: jobs, their events, approvals, and any number of workers. */

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { coding, openContinuo } from "../../../src/index.ts";

const [url = "", cwd = "", ...command] = process.argv.slice(2);
const { CODING_AGENT: agent = "scripted" } = process.env;
const userOf = (request: Request): string => request.headers.get("x-user") ?? "";

const c = await openContinuo(url, {
  agents: [coding(agent, { cwd, command, permissions: "ask" })],
  recover: "retry",
  retry: { attempts: 1_000, backoffMs: 1 },
});
const app = new Hono();
app.post("/jobs/:id", async (x) => {
  const id = x.req.param("id");
  const session = c.session(id, { create: true, metadata: { user: userOf(x.req.raw) } });
  return x.json(await session.send(await x.req.text(), { id }));
});
app.get("/jobs/:id/events", (x) => c.session(x.req.param("id")).toSSE(x.req.raw));
app.get("/approvals", async (x) => {
  const user = userOf(x.req.raw);
  return x.json(await c.approvals.list({ status: "open", metadata: { user } }));
});
app.post("/approvals/:id", async (x) => {
  const by = userOf(x.req.raw);
  return x.json(await c.approvals.resolve(x.req.param("id"), { outcome: "granted", by }));
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`port ${port}`));
await c.work({ agents: [agent], parallel: 4 });

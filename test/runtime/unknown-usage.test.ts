/** A provider that counts no tokens, as many local servers do: its usage is unknown everywhere, and nowhere 0. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";

let server: ModelServer;
let c: Continuo;
beforeEach(async () => {
  server = await startModelServer({
    turns: [{ user: "Pay me back.", answers: [[text("I ask."), call("refund", {})], [text("It is paid.")]] }],
  });
});
afterEach(async () => {
  await c.close();
  await server.close();
});

/** The stream of the server without its chunk of usage. */
const uncounted: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  const lines = (await response.text()).split("\n\n");
  const rest = lines.filter((line) => !line.includes('"choices":[]'));
  expect(rest.length).toBe(lines.length - 1);
  return new Response(rest.join("\n\n"), { status: response.status, headers: response.headers });
};

function agentOf(name: string, given: { readonly fetch?: typeof fetch }) {
  const input = jsonSchema<Record<string, never>>({ type: "object", properties: {} });
  const refund = tool({ inputSchema: input, needsApproval: true, execute: () => "paid" });
  const provider = createOpenAICompatible({
    name,
    baseURL: `${server.url}/v1`,
    includeUsage: true,
    ...given,
  });
  return defineAgent({ name, model: provider("fake-1"), tools: { refund } });
}

test("the usage of a provider that counts nothing is in no approval, result, event, message and session", async () => {
  const agents = [agentOf("uncounted", { fetch: uncounted }), agentOf("counted", {})];
  c = await openContinuo("memory:", { agents, pollMs: 10 });
  const session = c.session("ann", { create: true });
  const ask = async (agent: string, id: string) => {
    const run = session.send("Pay me back.", { agent, id });
    await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(1);
    const [approval] = await c.approvals.list({ status: "open" });
    await c.approvals.resolve(approval?.id ?? "", { outcome: "granted" });
    return { approval, outcome: await run.result() };
  };
  const { approval, outcome } = await ask("uncounted", "1");
  expect(outcome).toMatchObject({ status: "completed", text: expect.stringContaining("It is paid.") });
  const seen = {
    approval,
    outcome,
    session: await c.store.getSession("ann"),
    messages: await session.messages(),
  };
  const { events } = await c.store.read("ann", {});
  expect(JSON.stringify([seen, events])).not.toMatch(/inputTokens|outputTokens|"usage":/u);
  // The sum contains only the answer of a provider that counts.
  const { outcome: counted } = await ask("counted", "2");
  const usage = counted.status === "completed" ? counted.usage : undefined;
  expect(usage?.outputTokens).toBeGreaterThan(0);
  expect((await c.store.getSession("ann"))?.metadata.usage).toEqual(usage);
});

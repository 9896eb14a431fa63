/** Tools of a model that need approval: asked before they begin, and answered in the log. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { AskPermission, PermissionRequest, Store } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { openStore } from "@continuo/store";
import { type RunResult, runOnce } from "@continuo/store/sessions";
import { jsonSchema, tool } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ModelAgent } from "../../packages/agents/src/model-agent/model-agent.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";

let server: ModelServer;
let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
  const both = [call("refund", { order: "7" }), call("look", { order: "7" })];
  server = await startModelServer({
    turns: [{ user: "refund it", answers: [[text("I refund it."), ...both], [text("Done.")]] }],
  });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

async function refund(onPermission?: AskPermission): Promise<{ run: RunResult; refunds: string[] }> {
  const refunds: string[] = [];
  const inputSchema = jsonSchema<{ order: string }>({
    type: "object",
    properties: { order: { type: "string" } },
  });
  const agent = new ModelAgent({
    model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
    tools: {
      refund: tool({
        inputSchema,
        needsApproval: true,
        execute: ({ order }) => `refund ${refunds.push(order)}`,
      }),
      look: tool({ inputSchema, execute: ({ order }) => `order ${order} was paid` }),
    },
    ...(onPermission === undefined ? {} : { onPermission }),
  });
  return { run: await runOnce(store, agent, "refund it"), refunds };
}

async function resultsOf({ sessionId }: RunResult): Promise<Record<string, unknown>> {
  const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
  const results = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  return Object.fromEntries(
    messages
      .filter(({ role }) => role === "tool")
      .map(({ toolName, toolOutput }, at) => {
        const block = results[at];
        return [toolName, [block?.type === "tool_result" ? (block.status ?? "ok") : "", toolOutput]];
      }),
  );
}

test("a tool that needs approval runs once after the permission, and the model reads its result", async () => {
  const asked: PermissionRequest[] = [];
  const { run, refunds } = await refund(async (request) => {
    asked.push(request);
    return { outcome: "granted", by: "person" };
  });
  expect(run).toMatchObject({ status: "completed", text: "Done.", stopReason: "stop" });
  expect(refunds).toEqual(["7"]);
  expect(asked).toMatchObject([{ toolName: "refund", toolInput: { order: "7" }, readOnly: null }]);
  expect(await resultsOf(run)).toMatchObject({
    refund: ["ok", "refund 1"],
    look: ["ok", "order 7 was paid"],
  });
  const types = ["approval_requested", "approval_resolved"];
  const { events } = await store.read(run.sessionId, { types });
  expect(events.map(({ type, data }) => [type, (data as { approvalId: string }).approvalId])).toEqual(
    types.map((type) => [type, asked[0]?.approvalId]),
  );
  const request = server.conversation().at(-1);
  expect(request?.violations).toEqual([]);
});

test("a tool that needs approval is denied if nobody can be asked, and its call is marked as not run", async () => {
  const { run, refunds } = await refund();
  expect(run).toMatchObject({ status: "completed", text: "Done." });
  expect(refunds).toEqual([]);
  const { refund: result } = await resultsOf(run);
  expect(result).toEqual(["denied", expect.stringContaining("not allowed")]);
});

test("a person who denies gives a reason that the model reads", async () => {
  const { run, refunds } = await refund(async () => ({
    outcome: "denied",
    by: "person",
    reason: "too expensive",
  }));
  expect([run.status, refunds]).toEqual(["completed", []]);
  expect(JSON.stringify(server.conversation().at(-1)?.body)).toContain("too expensive");
});

test("a turn that needs more answers than allowed has a status of its own", async () => {
  const inputSchema = jsonSchema<{ order: string }>({ type: "object" });
  const agent = new ModelAgent({
    model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
    tools: {
      refund: tool({ inputSchema, execute: () => "ok" }),
      look: tool({ inputSchema, execute: () => "ok" }),
    },
    maxSteps: 1,
  });
  const run = await runOnce(store, agent, "refund it");
  expect([run.status, run.stopReason, run.run.status]).toEqual(["max_steps", "max_steps", "completed"]);
});

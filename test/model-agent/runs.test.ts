/**
 * Runs of a model that is called directly: the messages of one run are in the request of the next, with their roles.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { jsonSchema, type LanguageModel, tool } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelAgent } from "../../packages/agents/src/model-agent/model-agent.ts";
import { normaliseRequest } from "../agents/requests.ts";
import { tool as call, type ModelServer, startModelServer, text, thinking } from "../model-servers/index.ts";

let server: ModelServer;
let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await startModelServer({
    turns: [
      {
        user: "what is the weather",
        answers: [
          [thinking("I have to ask."), text("I ask."), call("weather", { town: "Ulm" })],
          [thinking("Now I know."), text("Rain.")],
        ],
      },
      { user: "ask the customer", answers: [[text("I ask."), call("customer", { town: "Ulm" })]] },
      {
        user: "fail in the middle",
        answers: [
          [
            { type: "slow", delayMs: 20 },
            text("I begin to count: one, two, three, four, five."),
            { type: "cut" },
          ],
        ],
      },
    ],
  });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const MODELS: Readonly<Record<string, () => LanguageModel>> = {
  anthropic: () => createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })("claude-sonnet-4-5"),
  chat: () => createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
};

function agentOf(kind: string): ModelAgent {
  const weather = tool({
    inputSchema: jsonSchema<{ town: string }>({ type: "object", properties: { town: { type: "string" } } }),
    execute: ({ town }) => `It rains in ${town}.`,
  });
  return new ModelAgent({ model: (MODELS[kind] as () => LanguageModel)(), tools: { weather } });
}

/** Returns the messages of the newest request. */
function sent(): readonly unknown[] {
  const request = server.conversation().at(-1);
  if (request === undefined) throw new Error("the model was not asked");
  expect(request.violations).toEqual([]);
  return normaliseRequest(request).map(({ kind, ...item }) => [
    kind,
    "name" in item ? item.name : "text" in item ? item.text : "",
  ]);
}

describe.each(Object.keys(MODELS))("%s", (kind) => {
  const onlyAnthropic = kind === "anthropic" ? [["thinking", "I have to ask."]] : [];
  const thenAnthropic = kind === "anthropic" ? [["thinking", "Now I know."]] : [];

  test("three runs: each model call holds all before it, once, and signed thinking as it was", async () => {
    const first = await runOnce(store, agentOf(kind), "what is the weather");
    expect(first.status).toBe("completed");
    const { sessionId } = first;
    const second = await runOnce(store, agentOf(kind), "[[text:You are welcome.]]", { sessionId });
    expect(second.resumption).toMatchObject({ requested: "auto", happened: "replay" });
    const before = [
      ["text", "what is the weather"],
      ...onlyAnthropic,
      ["text", "I ask."],
      ["call", "weather"],
      ["result", "It rains in Ulm."],
      ...thenAnthropic,
      ["text", "Rain."],
      ["text", "[[text:You are welcome.]]"],
    ];
    expect(sent()).toEqual(before);
    await runOnce(store, agentOf(kind), "[[text:Bye.]]", { sessionId });
    expect(sent()).toEqual([...before, ["text", "You are welcome."], ["text", "[[text:Bye.]]"]]);
  });

  test("a call of a tool without `execute` ends the turn, and its result says that the tool did not run", async () => {
    const inputSchema = jsonSchema<{ town: string }>({ type: "object" });
    const model = (MODELS[kind] as () => LanguageModel)();
    const agent = new ModelAgent({ model, tools: { customer: tool({ inputSchema }) } });
    const asked = await runOnce(store, agent, "ask the customer");
    expect(asked).toMatchObject({ status: "completed", stopReason: "tool-calls" });
    await runOnce(store, agent, "[[text:Go on.]]", { sessionId: asked.sessionId });
    expect(sent()).toEqual([
      ["text", "ask the customer"],
      ["text", "I ask."],
      ["call", "customer"],
      ["result", "The tool did not run: it has no `execute`."],
      ["text", "[[text:Go on.]]"],
    ]);
  });

  test("a run whose model dies keeps its text so far, and the next run sends it", async () => {
    const cut = await runOnce(store, agentOf(kind), "fail in the middle", {
      adapterOpts: { maxRetries: 0 },
    });
    expect(cut).toMatchObject({ status: "failed", error: { code: "agent_failed" } });
    await runOnce(store, agentOf(kind), "[[text:again]]", { sessionId: cut.sessionId });
    const texts = sent().map((item) => (item as string[])[1]);
    expect(texts[0]).toBe("fail in the middle");
    expect(texts[1]).toMatch(/^I begin/u);
    expect(texts[2]).toMatch(/^\[/u);
    expect(texts[3]).toBe("[[text:again]]");
  });
});

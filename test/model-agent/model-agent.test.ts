/**
 * A model that is called directly, against the scripted model servers: its events, and the content of the next request.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { AgentEvent, AgentRequest, Block, Message } from "@continuo/core/model";
import { jsonSchema, type LanguageModel, tool } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelAgent } from "../../packages/agents/src/model-agent/model-agent.ts";
import type { Item } from "../agents/items.ts";
import { normaliseRequest } from "../agents/requests.ts";
import {
  type ModelServer,
  startModelServer,
  text,
  thinking,
  tool as toolStep,
} from "../model-servers/index.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    turns: [
      {
        user: "look both up",
        answers: [
          [
            thinking("Two calls are needed."),
            text("Looking."),
            toolStep("lookup", { key: "a" }),
            toolStep("lookup", { key: "broken" }),
          ],
          [text("a is 1, the other one failed.")],
        ],
      },
    ],
  });
});
afterAll(() => server.close());

const MODELS: Readonly<Record<string, () => LanguageModel>> = {
  anthropic: () => {
    const provider = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" });
    return provider("claude-sonnet-4-5");
  },
  chat: () => createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
};

const TOOLS = {
  lookup: tool({
    description: "Looks a key up.",
    inputSchema: jsonSchema<{ key: string }>({
      type: "object",
      properties: { key: { type: "string" } },
      required: ["key"],
    }),
    execute: ({ key }) => {
      if (key === "broken") throw new Error("no such key");
      return { value: 1 };
    },
  }),
};

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function request(input: readonly Block[], messages: readonly Message[] = []): AgentRequest {
  const transcript = { sessionId: "s", messages, lastSequence: 9, lastTimestamp: null, metadata: {} };
  return {
    input,
    run: { runId: "r" },
    session: { context: { transcript } },
    transcript,
  } as unknown as AgentRequest;
}

async function turn(agent: ModelAgent, asked: AgentRequest, signal = new AbortController().signal) {
  const events: AgentEvent[] = [];
  const result = await agent.execute(asked, {
    signal,
    onEvent: async (event) => void events.push(event),
  });
  return { events, result };
}

/** Returns the turn as messages of the next one, in the form of a transcript. */
function toMessages(events: readonly AgentEvent[]): Message[] {
  return events.flatMap((event, at): Message[] => {
    const id = `m${at}`;
    if (event.type === "message") {
      const calls = events.flatMap((call): Block[] =>
        call.type === "tool_call" && call.messageId === event.messageId
          ? [
              {
                type: "tool_call",
                id: call.toolCallId,
                name: call.toolName,
                args: call.toolInput as Readonly<Record<string, unknown>>,
              },
            ]
          : [],
      );
      return [{ id, role: "assistant", content: [...event.content, ...calls], metadata: {} }];
    }
    if (event.type !== "tool_result") return [];
    const { toolCallId, content, status } = event;
    const result: Block = {
      type: "tool_result",
      toolCallId,
      content: [{ type: "text", text: String(content) }],
      isError: status !== "ok",
    };
    return [{ id, role: "tool", toolCallId, toolName: "lookup", content: [result], metadata: {} }];
  });
}

function briefly(item: Item): string {
  if (item.kind === "text") return `${item.role}: ${item.text}`;
  if (item.kind === "call") return `call ${item.name} ${JSON.stringify(item.args)}`;
  return item.kind === "result" ? `result ${item.text}` : "picture";
}

describe.each(Object.keys(MODELS))("a model of %s", (kind) => {
  const agent = () =>
    new ModelAgent({
      model: (MODELS[kind] as () => LanguageModel)(),
      tools: TOOLS,
      instructions: "Be brief.",
    });

  test("a conversation that begins with an answer is sent with a prompt before it", async () => {
    const answer: Message = {
      id: "m0",
      role: "assistant",
      content: [{ type: "text", text: "Once upon" }],
      metadata: {},
    };
    const asked = request([{ type: "text", text: "Go on." }], [answer]);
    const { result } = await turn(agent(), asked);
    expect(result.stopReason).toBe("stop");
    const sent = server.conversation().at(-1);
    if (sent === undefined) throw new Error("the model was asked nothing");
    expect(sent.violations).toEqual([]);
    expect(normaliseRequest(sent).map(briefly)).toEqual([
      "user: [The conversation begins with the answer of the agent.]",
      "assistant: Once upon",
      "user: Go on.",
    ]);
  });

  test("a turn with thinking and two calls is reported whole, and sent whole with the next turn", async () => {
    const said: Message = {
      id: "u",
      role: "user",
      metadata: {},
      content: [
        { type: "text", text: "look both up" },
        { type: "image", mimeType: "image/png", data: PICTURE },
      ],
    };
    const first = await turn(agent(), request(said.content));
    expect(first.result).toMatchObject({ stopReason: "stop", usage: { outputTokens: expect.any(Number) } });
    const told = first.events.filter(
      ({ type }) => !["text", "thinking", "usage", "diagnostics"].includes(type),
    );
    expect(told.map(({ type }) => type)).toEqual([
      "tool_call",
      "tool_call",
      "message",
      "tool_result",
      "tool_result",
      "message",
    ]);
    expect(first.events.filter(({ type }) => type === "usage")).toHaveLength(2);
    const deltas = first.events.flatMap((event) => (event.type === "text" ? [event.delta] : [])).join("");
    expect(deltas).toBe("Looking.a is 1, the other one failed.");

    const before = server.conversation().length;
    await turn(
      agent(),
      request([{ type: "text", text: "[[text:thanks]]" }], [said, ...toMessages(first.events)]),
    );
    const [next] = server.conversation().slice(before);
    expect(next?.violations).toEqual([]);
    const items = normaliseRequest(next as NonNullable<typeof next>);
    const thought = items.filter((item) => item.kind === "thinking");
    expect(thought).toHaveLength(kind === "anthropic" ? 1 : 0);
    expect(JSON.stringify(next?.body)).toContain("Be brief.");
    expect(items.filter((item) => item.kind !== "thinking").map(briefly)).toEqual([
      "user: look both up",
      "picture",
      "assistant: Looking.",
      'call lookup {"key":"a"}',
      'call lookup {"key":"broken"}',
      ...told.flatMap((event) => (event.type === "tool_result" ? [`result ${event.content}`] : [])),
      "assistant: a is 1, the other one failed.",
      "user: [[text:thanks]]",
    ]);
  });

  test("a model that refuses fails the turn, and its text so far is reported", async () => {
    await expect(turn(agent(), request([{ type: "text", text: "[[error:400 no]]" }]))).rejects.toMatchObject({
      code: "agent_failed",
      details: { statusCode: 400 },
    });
  });

  test("the signal ends it", async () => {
    const stop = new AbortController();
    const events: AgentEvent[] = [];
    const running = agent().execute(
      request([{ type: "text", text: "[[slow:50]] [[text:one two three four]]" }]),
      {
        signal: stop.signal,
        onEvent: async (event) => {
          events.push(event);
          if (event.type === "text") stop.abort();
        },
      },
    );
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(events.some(({ type }) => type === "text")).toBe(true);
  });

  test("content that cannot be sent is reported; a native session is refused", async () => {
    const unknown: Message = { id: "x", role: "user", content: [{ type: "unknown", raw: 1 }], metadata: {} };
    const { events } = await turn(agent(), request([{ type: "text", text: "[[text:ok]]" }], [unknown]));
    expect(events[0]).toEqual({
      type: "diagnostics",
      message: "Not sent to the model: 1 unknown.",
      details: { leftOut: { unknown: 1 } },
    });
    const nativeRef = { agent: "model", sessionId: "1", location: null, cwd: null };
    await expect(turn(agent(), { ...request([]), nativeRef })).rejects.toMatchObject({
      code: "native_unavailable",
    });
  });
});

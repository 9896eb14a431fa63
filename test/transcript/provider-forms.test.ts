/** Every recorded session of every agent, in the providers' formats, is checked against the rules of their services. */

import { openNativeSession } from "@continuo/agents";
import { toModelMessages } from "@continuo/agents/model-agent";
import type { Message } from "@continuo/core/model";
import { toAnthropicMessages, toOpenAIMessages, toShareGpt } from "@continuo/core/transcript";
import { modelMessageSchema } from "ai";
import { afterAll, expect, expectTypeOf, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { violationsOf as anthropicViolations } from "../model-servers/anthropic-rules.ts";
import { violationsOf as chatViolations } from "../model-servers/chat.ts";
import { scratchFolder } from "../scratch-folder.ts";

const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const NAME = /^[\w-]{1,64}$/u;
/** Counts calls with results in each format, so that the test fails if there were none. */
const calls = { openai: 0, anthropic: 0, sharegpt: 0, ai: 0 };

function brokenByOpenAI(messages: readonly Message[]): readonly string[] {
  const made = sent(toOpenAIMessages(messages).messages);
  const found = made.flatMap((message) =>
    message.role !== "assistant"
      ? []
      : (message.tool_calls ?? []).flatMap(({ id, function: { name, arguments: text } }) => {
          calls.openai += 1;
          const isObject = typeof JSON.parse(text) === "object" && JSON.parse(text) !== null;
          return id.length <= 40 && NAME.test(name) && isObject ? [] : [`the call ${id} of ${name}`];
        }),
  );
  return [...found, ...chatViolations(made as never)];
}

function brokenByAnthropic(messages: readonly Message[]): readonly string[] {
  const { messages: made } = toAnthropicMessages(messages);
  const blocks = made.flatMap(({ content }) => content);
  const found = blocks.flatMap((block) => {
    if (block.type === "tool_use") {
      calls.anthropic += 1;
      return /^[\w-]+$/u.test(block.id) && NAME.test(block.name) ? [] : [`the call ${block.id}`];
    }
    if (block.type !== "tool_result") return [];
    return block.content.some((part) => part.type === "text" && part.text.trim() === "") ? ["blank"] : [];
  });
  return made.length === 0 ? found : [...found, ...anthropicViolations(sent({ messages: made }) as never)];
}

/**
 * Returns violations of the order of roles that LLaMA-Factory requires: each observation must come directly after its
 * call, or after another observation of the same call.
 */
function brokenByShareGpt(messages: readonly Message[]): readonly string[] {
  const { conversations } = sent(toShareGpt(messages));
  return conversations.flatMap(({ from }, at) => {
    if (from === "function_call") calls.sharegpt += 1;
    const before = conversations[at - 1]?.from;
    if (from === "observation" && before !== "function_call" && before !== "observation")
      return [`turn ${at}`];
    return before === "function_call" && from !== "function_call" && from !== "observation"
      ? [`turn ${at}`]
      : [];
  });
}

function brokenByAi(messages: readonly Message[]): readonly string[] {
  const { messages: made } = toModelMessages(messages);
  return made.flatMap((message, at) => {
    const parts = message.role === "assistant" && typeof message.content !== "string" ? message.content : [];
    const ids = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    calls.ai += ids.length;
    const next = made[at + 1];
    const answered =
      next?.role === "tool" ? next.content.map((part) => "toolCallId" in part && part.toolCallId) : [];
    const open = ids.filter((id) => !answered.includes(id));
    const { success } = modelMessageSchema.safeParse(message);
    return [...open.map((id) => `the call ${id} has no result`), ...(success ? [] : [`message ${at}`])];
  });
}

test.each(FORMAT_CASES)("every provider accepts the sessions of %s in %s", async (agent, name) => {
  const { sessions, places } = await copyHome(scratchFolder("forms"), [agent, name]);
  const broken: string[] = [];
  for (const { location } of sessions) {
    using session = await openNativeSession(location, { places });
    const messages = await Array.fromAsync(session.history());
    for (const check of [brokenByOpenAI, brokenByAnthropic, brokenByShareGpt, brokenByAi])
      broken.push(...check(messages).map((words) => `${check.name}: ${words}`));
  }
  expect(broken).toEqual([]);
});
afterAll(() => {
  for (const [form, count] of Object.entries(calls)) expect([form, count > 50]).toEqual([form, true]);
});

/** The parameters of the providers' own clients, as their packages declare them: `openai` 7, `@anthropic-ai/sdk` 0.9. */
interface ChatParameters {
  messages: Array<
    | { role: "system"; content: string }
    | {
        role: "user";
        content:
          | string
          | Array<{ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } }>;
      }
    | {
        role: "assistant";
        content?: string | null;
        tool_calls?: Array<{ id: string; type: "function"; function: { name: string; arguments: string } }>;
      }
    | { role: "tool"; tool_call_id: string; content: string }
  >;
}
type Source =
  | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
  | { type: "url"; url: string };
type FormBlock = { type: "text"; text: string } | { type: "image"; source: Source };
interface MessagesParameters {
  messages: Array<{
    role: "user" | "assistant";
    content:
      | string
      | Array<
          | FormBlock
          | { type: "thinking"; thinking: string; signature: string }
          | { type: "redacted_thinking"; data: string }
          | { type: "tool_use"; id: string; name: string; input: unknown }
          | {
              type: "tool_result";
              tool_use_id: string;
              content?: string | Array<FormBlock>;
              is_error?: boolean;
            }
        >;
  }>;
}

test("the messages are given to the clients of the providers without a cast", () => {
  expectTypeOf(toOpenAIMessages([]).messages).toExtend<ChatParameters["messages"]>();
  expectTypeOf(toAnthropicMessages([]).messages).toExtend<MessagesParameters["messages"]>();
});

test("an id that a service refuses is replaced in the call and its result, and a name is made of what it allows", () => {
  const id = `run_shell_command__${"7c".repeat(20)}|1`;
  const messages: readonly Message[] = [
    {
      id: "a",
      role: "assistant",
      content: [{ type: "tool_call", id, name: "mcp.shop/find", args: {} }],
      metadata: {},
    },
    {
      id: "r",
      role: "tool",
      toolCallId: id,
      content: [
        {
          type: "tool_result",
          toolCallId: id,
          isError: false,
          content: [{ type: "image", mimeType: "image/bmp", data: "AA" }],
        },
      ],
      metadata: {},
    },
  ];
  const openai = toOpenAIMessages(messages);
  expect(openai).toEqual({
    messages: [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_of_session_1", type: "function", function: { name: "mcp_shop_find", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_of_session_1", content: "[image]" },
    ],
    leftOut: { image: 1 },
  });
  expect(toAnthropicMessages(messages)).toMatchObject({
    messages: [
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_of_session_1" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_of_session_1", content: [] }] },
    ],
    leftOut: { image: 1 },
  });
});

import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../model/index.ts";
import { toAnthropicMessages, toOpenAIMessages, toShareGpt } from "./index.ts";

function message(role: Message["role"], content: readonly Block[], more: Partial<Message> = {}): Message {
  return { id: `${role} ${JSON.stringify(content).length}`, role, content, metadata: {}, ...more };
}
const text = (words: string): Block => ({ type: "text", text: words });
const result = (toolCallId: string, words: string, isError = false): Message =>
  message("tool", [{ type: "tool_result", toolCallId, content: [text(words)], isError }], { toolCallId });

const MESSAGES: readonly Message[] = [
  message("system", [text("Be brief.")]),
  message("user", [text("look"), { type: "image", mimeType: "image/png", data: "AAAA" }]),
  message("assistant", [
    { type: "thinking", text: "hm", signature: "sig", signedBy: "anthropic" },
    { type: "thinking", text: "unsigned" },
    text("I look."),
    { type: "tool_call", id: "a", name: "read", args: { path: "x" } },
    { type: "tool_call", id: "b", name: "read", args: { path: "y" } },
  ]),
  message("user", [text("hurry")]),
  result("b", "no such file", true),
  result("a", "content"),
  message("assistant", [text("Done.")]),
];

test("messages for OpenAI have calls, their results directly after them, and images", () => {
  const call = (id: string, path: string) => ({
    id,
    type: "function",
    function: { name: "read", arguments: `{"path":"${path}"}` },
  });
  expect(toOpenAIMessages(MESSAGES)).toEqual({
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      { role: "assistant", content: "I look.", tool_calls: [call("a", "x"), call("b", "y")] },
      { role: "tool", tool_call_id: "b", content: "no such file" },
      { role: "tool", tool_call_id: "a", content: "content" },
      { role: "user", content: "hurry" },
      { role: "assistant", content: "Done." },
    ],
    leftOut: { thinking: 2 },
  });
});

test("no form has a text without words, also not of an attached file", () => {
  const empty: Block = { type: "file", mimeType: "text/plain", text: "" };
  const asked = message("user", [text(""), empty, text("go")]);
  expect(toOpenAIMessages([asked]).messages).toEqual([{ role: "user", content: "go" }]);
  expect(toOpenAIMessages([message("user", [empty])]).messages).toEqual([]);
  const only = [{ role: "user", content: [{ type: "text", text: "go" }] }];
  expect(toAnthropicMessages([asked]).messages).toEqual(only);
});

test("messages for OpenAI have no system message for blocks that are only counted", () => {
  const unknown = message("system", [{ type: "unknown", raw: { type: "away_summary" } }]);
  expect(toOpenAIMessages([unknown, message("user", [text("go")])])).toEqual({
    messages: [{ role: "user", content: "go" }],
    leftOut: { unknown: 1 },
  });
});

describe("messages for Anthropic", () => {
  test("alternate, with results before words, signed thinking kept and other thinking counted", () => {
    expect(toAnthropicMessages(MESSAGES)).toEqual({
      system: "Be brief.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "sig" },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
            { type: "tool_use", id: "b", name: "read", input: { path: "y" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "b",
              content: [{ type: "text", text: "no such file" }],
              is_error: true,
            },
            { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "content" }] },
            { type: "text", text: "hurry" },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Done." }] },
      ],
      leftOut: { thinking: 1 },
    });
  });

  test("begin with a prompt if the conversation begins with an answer", () => {
    const { messages, system } = toAnthropicMessages([message("assistant", [text("Once upon")])]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(system).toBeUndefined();
  });
});

test("a conversation of ShareGPT has calls and observations as turns", () => {
  expect(toShareGpt(MESSAGES)).toEqual({
    conversations: [
      { from: "system", value: "Be brief." },
      { from: "human", value: "look" },
      { from: "gpt", value: "I look." },
      { from: "function_call", value: '{"name":"read","arguments":{"path":"x"}}' },
      { from: "function_call", value: '{"name":"read","arguments":{"path":"y"}}' },
      { from: "observation", value: "no such file" },
      { from: "observation", value: "content" },
      { from: "human", value: "hurry" },
      { from: "gpt", value: "Done." },
    ],
    leftOut: { image: 1, thinking: 2 },
  });
});

import type { Block } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { toBlock, toContent } from "./content.ts";
import { eventsOf, newUpdateState, usageOf } from "./updates.ts";

const all = { image: true, embeddedContext: true };
const none = { image: false, embeddedContext: false };
const image: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
const file: Block = { type: "file", mimeType: "text/plain", name: "a b.txt", text: "words" };

describe("blocks of a prompt", () => {
  test("are sent in the form that the agent accepts", () => {
    expect(toContent([{ type: "text", text: "hi" }, image, file], all)).toEqual([
      { type: "text", text: "hi" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      {
        type: "resource",
        resource: { uri: "attachment:///a%20b.txt", mimeType: "text/plain", text: "words" },
      },
    ]);
  });

  test("are sent as text, set apart from the message, if the agent accepts only text", () => {
    const texts = toContent([image, file], none).map((content) => content.type === "text" && content.text);
    expect(texts).toEqual([expect.stringContaining("| [image"), expect.stringContaining("| words")]);
  });

  test("that have only an address are linked", () => {
    const linked: Block = { type: "file", mimeType: "text/plain", name: "x", url: "file:///x" };
    expect(toContent([linked], none)).toEqual([
      { type: "resource_link", uri: "file:///x", name: "x", mimeType: "text/plain" },
    ]);
  });
});

test("content of an agent is a block, whatever it is", () => {
  const shown = [
    { type: "text", text: "a" },
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "resource_link", uri: "file:///x", name: "x" },
    { type: "resource", resource: { uri: "file:///y", text: "words" } },
    { type: "hologram" },
    null,
  ];
  expect(shown.map(toBlock)).toEqual([
    { type: "text", text: "a" },
    image,
    { type: "file", mimeType: "application/octet-stream", url: "file:///x", name: "x" },
    { type: "file", mimeType: "text/plain", url: "file:///y", text: "words" },
    { type: "unknown", raw: { type: "hologram" } },
    { type: "unknown", raw: null },
  ]);
});

test("a tool that the agent reports only at its end is reported completely", () => {
  const update = { sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed", rawOutput: "no" };
  expect(eventsOf(update, newUpdateState())).toEqual([
    { type: "tool_call", toolCallId: "t", toolName: "tool" },
    { type: "tool_result", toolCallId: "t", status: "error", content: "no" },
  ]);
});

test.each([
  [
    { usage: { inputTokens: 1, outputTokens: 2, thoughtTokens: 3 } },
    { inputTokens: 1, outputTokens: 2, reasoningTokens: 3 },
  ],
  [
    { _meta: { quota: { token_count: { input_tokens: 1, output_tokens: 2 } } } },
    { inputTokens: 1, outputTokens: 2 },
  ],
  [{ stopReason: "end_turn" }, undefined],
])("usage of a turn: %j", (answer, usage) => {
  expect(usageOf(answer)).toEqual(usage);
});

/** Payloads that no agent should write: nothing throws, and what cannot be read is kept as it is. */

import { describe, expect, test } from "vitest";
import { fromEvents } from "../builder/index.ts";
import { planContext } from "../context/index.ts";
import { messageToHtml } from "../html/index.ts";
import { messagesToText, messageToMarkdown } from "../render/index.ts";

describe.each<[string, unknown]>([
  ["a picture of no type", { type: "image" }],
  ["a picture whose data is a number", { type: "image", mimeType: "image/png", data: 5 }],
  ["a file whose name is a number", { type: "file", mimeType: "text/plain", name: 5 }],
  ["a file whose text is null", { type: "file", mimeType: "text/plain", text: null }],
  ["a signature that is a number", { type: "text", text: "hi", signature: 5 }],
  ["a type that every object has", { type: "constructor" }],
  ["nothing", null],
])("a block that is %s", (_, raw) => {
  const inner = { type: "tool_result", toolCallId: "c", content: [raw], isError: false };
  const { messages } = fromEvents([
    { type: "message_sent", sequence: 1, data: { content: [raw] } },
    { type: "tool_call_started", sequence: 2, data: { toolCallId: "c", toolName: "read" } },
    { type: "message_sent", sequence: 3, data: { role: "tool", content: [inner] } },
  ]);

  test("is kept as it is, in a result too", () => {
    const kept = { type: "unknown", raw };
    expect([messages[0]?.content, messages[2]?.content]).toEqual([[kept], [{ ...inner, content: [kept] }]]);
  });

  test("can be counted, cut and shown", () => {
    const { cost, omitted } = planContext(messages, { maxChars: 10 });
    expect(cost.chars + omitted.chars).toBe(planContext(messages).cost.chars);
    expect(messagesToText(messages)).toContain("unknown kind");
    expect(messages.map((message) => messageToMarkdown(message, { tools: "full" })).join("")).not.toBe("");
    expect(messages.map(messageToHtml).join("")).toContain("Unknown block");
  });
});

test("a result holds no calls and no results; a status that is none is not believed, nor shown as HTML", () => {
  const call = { type: "tool_call", id: "d", name: "read", args: {} };
  const result = { type: "tool_result", toolCallId: "c", content: [], isError: true };
  const content = [call, result];
  const { messages } = fromEvents([
    { type: "tool_call_started", sequence: 1, data: { toolCallId: "c", toolName: "read" } },
    {
      type: "message_sent",
      sequence: 2,
      data: { role: "tool", content: [{ ...result, content, status: '"><b>' }] },
    },
  ]);
  expect(messages[1]?.content).toEqual([
    { ...result, content: content.map((raw) => ({ type: "unknown", raw })) },
  ]);
  expect(messages.map(messageToHtml).join("")).not.toContain('"><b>');
});

describe.each(["constructor", "toString", "__proto__"])("called %s", (name) => {
  test("a kind of parts is none", () => {
    const data = { messageId: "m", delta: "words", kind: name };
    const { messages, metadata } = fromEvents([{ type: "message_streamed", sequence: 1, data }]);
    expect([messages, metadata.leftOut.invalid]).toEqual([[], 1]);
  });

  test("an approval that nobody asked for asked for nothing; one that somebody asked for did", () => {
    const resolved = { approvalId: name, outcome: "allowed" };
    const wordsIn = (events: readonly { readonly type: string; readonly data: unknown }[]): unknown =>
      fromEvents(events.map((event, at) => ({ ...event, sequence: at + 1 }))).messages.at(-1)?.content;
    expect(wordsIn([{ type: "approval_resolved", data: resolved }])).toEqual([
      { type: "text", text: "[Permission: allowed.]" },
    ]);
    const asked = { type: "approval_requested", data: { approvalId: name, title: "rm" } };
    expect(wordsIn([asked, { type: "approval_resolved", data: resolved }])).toEqual([
      { type: "text", text: "[Permission for rm: allowed.]" },
    ]);
  });

  test("a key of a session's metadata is one as any other", () => {
    const data = { metadata: JSON.parse(`{ "${name}": { "a": 1 } }`) };
    const { metadata } = fromEvents([{ type: "session_updated", sequence: 1, data }]);
    expect(JSON.stringify(metadata.session)).toBe(`{"metadata":{"${name}":{"a":1}}}`);
  });
});

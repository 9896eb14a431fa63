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
    expect(messages.map((message) => messageToHtml(message)).join("")).toContain("Unknown block");
  });
});

test("a result holds no calls and no results; an unknown status is ignored, and is not shown as HTML", () => {
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
  expect(messages.map((message) => messageToHtml(message)).join("")).not.toContain('"><b>');
});

describe.each(["constructor", "toString", "__proto__"])("called %s", (name) => {
  test("is not a kind of parts", () => {
    const data = { messageId: "m", delta: "words", kind: name };
    const { messages, metadata } = fromEvents([{ type: "message_streamed", sequence: 1, data }]);
    expect([messages, metadata.leftOut.invalid]).toEqual([[], 1]);
  });

  test("an approval is open until it is decided", () => {
    const approvalsIn = (types: readonly string[]): unknown =>
      fromEvents(
        types.map((type, at) => ({ type, sequence: at + 1, data: { approvalId: name, outcome: "denied" } })),
      ).metadata.approvals;
    const open = JSON.parse(`{ "${name}": "" }`);
    expect(approvalsIn(["approval_requested"])).toEqual({ open });
    expect(approvalsIn(["approval_requested", "approval_resolved"])).toEqual({
      open: {},
      last: { approvalId: name, outcome: "denied" },
    });
    expect(approvalsIn(["approval_resolved", "approval_requested"])).toMatchObject({ open });
  });

  test("is a key of a session's metadata like any other", () => {
    const data = { metadata: JSON.parse(`{ "${name}": { "a": 1 } }`) };
    const { metadata } = fromEvents([{ type: "session_updated", sequence: 1, data }]);
    expect(JSON.stringify(metadata.session)).toBe(`{"metadata":{"${name}":{"a":1}}}`);
  });
});

test("the input of a call that is a text nested deeper than can be written is kept as that text", () => {
  const toolInput = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  const data = { toolCallId: "c", toolName: "read", toolInput };
  const { messages } = fromEvents([{ type: "tool_call_started", sequence: 1, data }]);
  expect(messages[0]?.content).toMatchObject([{ type: "tool_call", args: {}, rawArgs: toolInput }]);
  expect(JSON.stringify(messages)).toContain("rawArgs");
  expect(messagesToText(messages)).toContain("read");
});

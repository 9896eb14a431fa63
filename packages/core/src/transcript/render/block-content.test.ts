/** The content of blocks: the same for blocks that are shown alike, whatever their ids are. */

import { expect, test } from "vitest";
import type { Block } from "../../model/index.ts";
import { contentOfBlock } from "./block-content.ts";

const result = (toolCallId: string, text: string, isError = false): Block => ({
  type: "tool_result",
  toolCallId,
  isError,
  content: [{ type: "text", text }],
});

test("blocks with other ids have the same content", () => {
  const call = (id: string): Block => ({ type: "tool_call", id, name: "Read", args: { path: "/a" } });
  expect(contentOfBlock(call("x"))).toBe(contentOfBlock(call("y")));
  expect(contentOfBlock(result("x", "done"))).toBe(contentOfBlock(result("y", "done")));
  expect(contentOfBlock({ type: "text", text: " a\n" })).toBe(contentOfBlock({ type: "text", text: "a" }));
});

test("blocks that are shown in another way have another content", () => {
  const blocks: readonly Block[] = [
    { type: "text", text: "a" },
    { type: "thinking", text: "a" },
    { type: "tool_call", id: "x", name: "Read", args: { path: "/a" } },
    { type: "tool_call", id: "x", name: "Read", args: { path: "/b" } },
    { type: "tool_call", id: "x", name: "Read", args: {}, rawArgs: "/a" },
    result("x", "a"),
    result("x", "a", true),
    { type: "image", mimeType: "image/png" },
  ];
  expect(new Set(blocks.map(contentOfBlock)).size).toBe(blocks.length);
});

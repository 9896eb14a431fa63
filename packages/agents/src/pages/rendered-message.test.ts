import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { HISTORY_LIMITS } from "./limits.ts";
import { toShownMessage } from "./rendered-message.ts";

function shownDetails(details: unknown): unknown {
  const message = {
    id: "m",
    role: "tool",
    content: [{ type: "tool_result", toolCallId: "t", content: [], status: "ok", details }],
    metadata: {},
  } as unknown as Message;
  const [block] = toShownMessage(message, { key: "claude:1" }).message.content;
  return block?.type === "tool_result" ? block.details : undefined;
}

const HUNK = { oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ["-a", "+b"] };

test("only the hunks with line numbers are shown from the details of a result", () => {
  const originalFile = "the whole file";
  expect(shownDetails({ structuredPatch: [HUNK], originalFile })).toEqual({ structuredPatch: [HUNK] });
  for (const details of [undefined, null, "text", {}, { structuredPatch: "x" }, { originalFile }]) {
    expect(shownDetails(details)).toBeUndefined();
  }
});

test("a patch of millions of lines is bounded", () => {
  const lines = Array.from({ length: 1_000_000 }, () => "+");
  const shown = JSON.stringify(shownDetails({ structuredPatch: [{ ...HUNK, lines }] }));
  expect(shown.length).toBeLessThan(10 * HISTORY_LIMITS.messageNodes);
});

function shown(content: readonly object[]): ReturnType<typeof toShownMessage> {
  const message = { id: "m", role: "assistant", content, metadata: {} } as unknown as Message;
  return toShownMessage(message, { key: "claude:1" });
}

test("data that only an agent or a program can read is not shown, and an image is shown by its path", () => {
  const image = { type: "image", mimeType: "image/png", data: "aGk=" };
  const svg = { type: "image", mimeType: "image/svg+xml", data: "aGk=" };
  const thinking = { type: "thinking", text: "hm", signature: "s", data: "opaque", native: {} };
  const { content } = shown([thinking, image, svg]).message;
  expect(content[0]).toEqual({ type: "thinking", text: "hm" });
  expect(content[1]).toEqual({
    type: "image",
    mimeType: "image/png",
    url: expect.stringContaining("/image?"),
  });
  expect(content[2]).toEqual({ type: "image", mimeType: "image/svg+xml" });
});

test("an address in a session is shown only if it is a web address", () => {
  const urls = ["https://a.example/", "/v1/machine/sessions", "javascript:alert(1)", "//a.example/"];
  const { content } = shown(urls.map((url) => ({ type: "image", mimeType: "image/png", url }))).message;
  expect(content.map((block) => "url" in block)).toEqual([true, false, false, false]);
});

test("a long text is cut between characters, and the window names how much of it is left out", () => {
  const text = `${"x".repeat(HISTORY_LIMITS.textChars - 1)}😀 and more`;
  const { message, cuts } = shown([{ type: "text", text }]);
  const [block] = message.content;
  expect(block).toEqual({ type: "text", text: "x".repeat(HISTORY_LIMITS.textChars - 1) });
  expect(cuts).toEqual([{ path: "content/0/text", kept: HISTORY_LIMITS.textChars - 1, total: text.length }]);
});

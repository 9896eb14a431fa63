import { expect, test } from "vitest";
import { isInput, toBlocks } from "./input.ts";

const NOTHING = "the input of a run must be a text or an array of blocks, and not empty";

test.each([
  [[{ type: "text", text: "" }]],
  [[{ type: "thinking", text: "hm" }]],
  [[{ type: "image", mimeType: "image/png", data: "aGk=" }]],
  [[{ type: "image", mimeType: "image/png", url: "https://example.test/a.png" }]],
  [[{ type: "image", mimeType: "image/png", blob: "sha256:00" }]],
  [[{ type: "file", mimeType: "text/plain", text: "hi" }]],
  [[{ type: "tool_call", id: "c", name: "ls", args: {} }]],
  [[{ type: "tool_result", toolCallId: "c", content: [] }]],
  [[{ type: "unknown", raw: undefined }]],
])("%j is an input", (input) => {
  expect(toBlocks(input)).toBe(input);
  expect(isInput(input)).toBe(true);
});

test("a text becomes one block", () => {
  expect(toBlocks("hi")).toEqual([{ type: "text", text: "hi" }]);
  expect(isInput("hi")).toBe(true);
});

test.each([[""], [undefined], [7], [{}], [[]]])("%j is no input", (input) => {
  expect(() => toBlocks(input)).toThrow(expect.objectContaining({ code: "usage", message: NOTHING }));
  expect(isInput(input)).toBe(false);
});

test.each([
  ["hi", "is not an object"],
  [null, "is not an object"],
  [[], "is not an object"],
  [{}, "has no type that is known"],
  [{ type: "toString" }, "has no type that is known"],
  [{ type: "text" }, "(text) has no text that is a text"],
  [{ type: "thinking", text: 7 }, "(thinking) has no text that is a text"],
  [{ type: "image", data: "aGk=" }, "(image) has no mimeType that is a text"],
  [{ type: "image", mimeType: "image/png" }, "(image) has none of data, url, blob"],
  [{ type: "image", mimeType: "image/png", data: 7 }, "(image) has no data that is a text"],
  [{ type: "image", mimeType: "image/png", data: "", url: 7 }, "(image) has no url that is a text"],
  [{ type: "file", data: "aGk=" }, "(file) has no mimeType that is a text"],
  [{ type: "file", mimeType: "text/plain" }, "(file) has none of data, url, blob, text"],
  [{ type: "tool_call", name: "ls", args: {} }, "(tool_call) has no id that is a text"],
  [{ type: "tool_call", id: "c", args: {} }, "(tool_call) has no name that is a text"],
  [{ type: "tool_call", id: "c", name: "ls", args: [] }, "has no args that are an object"],
  [{ type: "tool_result", content: [] }, "(tool_result) has no toolCallId that is a text"],
  [{ type: "tool_result", toolCallId: "c", content: "x" }, "has no content that is an array"],
  [{ type: "unknown" }, "has no raw"],
])("the block %j %s", (block, problem) => {
  expect(() => toBlocks([{ type: "text", text: "hi" }, block])).toThrow(
    expect.objectContaining({
      code: "usage",
      message: `block 2 of the input ${problem}`,
      hint: "See docs/sessions.md for the shapes of blocks.",
      details: { index: 1 },
    }),
  );
  expect(isInput([block])).toBe(false);
});

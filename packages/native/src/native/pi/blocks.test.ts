import { expect, test } from "vitest";
import { toBlocks } from "./blocks.ts";

const read = (text: string, isAnswer = true, more: object = {}) =>
  toBlocks([{ type: "text", text, ...more }], { api: null, isAnswer });

test.each([
  ["<thinking>hm</thinking>", "hm"],
  ["<thinking>\nfirst\nsecond\n</thinking>", "first\nsecond"],
  ["<thinking>\r\nhm\r\n</thinking>\n", "hm"],
  ["\n <thinking></thinking>", ""],
])("the text %j of an answer is read as a thought, with its record", (marked, text) => {
  expect(read(marked)).toEqual([{ type: "thinking", text, native: { type: "text", text: marked } }]);
});

test.each([
  "<thinking>hm</thinking> yes",
  "so: <thinking>hm</thinking>",
  "<thinking>hm",
  "<thinking>a</thinking><thinking>b</thinking>",
  "<Thinking>hm</Thinking>",
])("the text %j of an answer stays a text", (text) => {
  expect(read(text)).toEqual([{ type: "text", text }]);
});

test("a marked text that is signed, or not in an answer, stays a text", () => {
  const text = "<thinking>hm</thinking>";
  expect(read(text, false)).toEqual([{ type: "text", text }]);
  expect(read(text, true, { textSignature: "s" })).toEqual([{ type: "text", text, signature: "s" }]);
});

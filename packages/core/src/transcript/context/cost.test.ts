/** These tests cover the cost of each block, and the text that stands for it. */

import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../model/index.ts";
import { argsText, charsOf, charsOfMessages, costOf, placeholder, textsOf, toTokenizer } from "./cost.ts";

const RESULT = { type: "tool_result", toolCallId: "call", isError: false } as const;

describe("a block costs its texts", () => {
  test.each<readonly [Block, readonly string[]]>([
    [{ type: "text", text: "words" }, ["words", ""]],
    [{ type: "text", text: "words", signature: "sig" }, ["words", "sig"]],
    [{ type: "thinking", text: "hm" }, ["hm", "", ""]],
    [{ type: "thinking", text: "hm", signature: "sig", data: "data" }, ["hm", "sig", "data"]],
    [{ type: "tool_call", id: "c", name: "read", args: { a: 1 } }, ["read", '{"a":1}', ""]],
    [{ type: "tool_call", id: "c", name: "read", args: {}, signature: "sig" }, ["read", "{}", "sig"]],
    [{ type: "tool_call", id: "c", name: "read", args: {}, rawArgs: '{"a' }, ["read", '{"a', ""]],
    [{ type: "image", mimeType: "image/png", data: "AAAA" }, ["[image image/png]"]],
    [{ type: "file", mimeType: "text/plain" }, ["[file text/plain]", ""]],
    [
      { type: "file", mimeType: "text/plain", name: "a.txt", text: "words" },
      ["[file a.txt text/plain]", "words"],
    ],
    [{ type: "unknown", raw: { a: 1 } }, ['{"a":1}']],
    [{ type: "unknown", raw: undefined }, [""]],
    [
      {
        ...RESULT,
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      ["one", "", "two", ""],
    ],
    [{ ...RESULT, content: [] }, []],
  ])("%j", (block, texts) => {
    expect(textsOf(block)).toEqual(texts);
    expect(charsOf(block)).toBe(texts.join("").length);
  });
});

test.each([
  [{ a: 1 }, undefined, '{"a":1}'],
  [{ a: 1 }, '{"a": 1}', '{"a":1}'],
  [{}, '{"a', '{"a'],
  [{}, "", ""],
  [{}, undefined, "{}"],
])("the arguments %j with the text %j are %j", (args, rawArgs, expected) => {
  const call = { type: "tool_call", id: "c", name: "read", args } as const;
  expect(argsText(rawArgs === undefined ? call : { ...call, rawArgs })).toBe(expected);
});

test("a file is shown with its name, a picture without", () => {
  const named = { mimeType: "a/b", name: "c" };
  expect(placeholder({ type: "image", ...named } as Parameters<typeof placeholder>[0])).toBe("[image a/b]");
  expect(placeholder({ type: "file", ...named })).toBe("[file c a/b]");
});

test("messages cost their blocks, and tokens only where somebody counts them", () => {
  const message: Message = {
    id: "m",
    role: "user",
    content: [
      { type: "text", text: "one two", signature: "three" },
      { type: "tool_call", id: "c", name: "read", args: {} },
    ],
    metadata: {},
  };
  const words = (text: string): number => text.split(" ").filter((word) => word !== "").length;
  expect(costOf([message, message], undefined)).toEqual({ messages: 2, chars: 36, tokens: 0 });
  expect(costOf([message, message], words)).toEqual({ messages: 2, chars: 36, tokens: 10 });
  expect(costOf([], words)).toEqual({ messages: 0, chars: 0, tokens: 0 });
  expect(charsOfMessages([message])).toBe(18);
});

test("a picture costs 1,600 tokens in addition to its placeholder, and so does a file that has no text", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const result = { ...RESULT, content: [image, { type: "text", text: "four" }] } as const;
  const file = { type: "file", mimeType: "application/pdf", data: "AAAA" } as const;
  const read = { type: "file", mimeType: "text/plain", text: "text" } as const;
  const tokens = (...content: Block[]): number =>
    costOf([{ id: "m", role: "user", content, metadata: {} }], (text) => text.length).tokens;
  expect(tokens(image)).toBe(1_600 + "[image image/png]".length);
  expect(tokens(result)).toBe(1_600 + "[image image/png]four".length);
  expect(tokens(file)).toBe(1_600 + "[file application/pdf]".length);
  expect(tokens(read)).toBe("[file text/plain]text".length);
});

test.each([
  ["counts", { countTokens: () => 7, encode: () => [1] }, 7],
  ["encodes", { encode: () => [1, 2] }, 2],
  ["does neither", {}, 3],
])("the tokens of a text by a module that %s; an empty text has none", (_, module, expected) => {
  expect([toTokenizer(module)("abc"), toTokenizer(module)("")]).toEqual([expected, 0]);
});

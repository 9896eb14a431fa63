/** These tests cover payloads as blocks: content, calls, results, failures and usage. */

import { describe, expect, test } from "vitest";
import type { Block, ToolCallBlock } from "../../model/index.ts";
import { hasText, inputOf, toBlocks, toCall, toFailure, toResult, toUsage } from "./content.ts";

const TEXT = { type: "text", text: "words" };
const IMAGE = { type: "image", mimeType: "image/png" };
const FILE = { type: "file", mimeType: "text/plain" };
const CALL = { type: "tool_call", id: "c", name: "read", args: { path: "a" } };
const RESULT = { type: "tool_result", toolCallId: "c", content: [TEXT], isError: true, status: "denied" };

test.each([
  ["", []],
  ["words", [TEXT]],
  [[], []],
  [
    ["words", ""],
    [TEXT, { type: "text", text: "" }],
  ],
  [undefined, undefined],
  [7, undefined],
  [{ type: "text", text: "words" }, undefined],
])("the content %j is %j", (content, expected) => {
  expect(toBlocks(content)).toEqual(expected);
});

test.each<readonly [Readonly<Record<string, unknown>>]>([
  [{ type: "unknown", raw: 7 }],
  [{ type: "unknown", raw: 7, text: 7 }],
  [TEXT],
  [{ ...TEXT, signature: "s", native: { a: 1 } }],
  [{ type: "thinking", text: "hm", data: "x" }],
  [IMAGE],
  [{ ...IMAGE, url: "https://example.test/a.png" }],
  [{ ...IMAGE, data: "AAAA" }],
  [{ ...FILE, name: "a.txt", text: "words", blob: "x" }],
  [{ ...CALL, rawArgs: "{}", childSessionId: "s" }],
  [RESULT],
])("the whole block %j is kept as it is", (block) => {
  expect(toBlocks([block])).toEqual([block]);
});

test.each([
  [null],
  [7],
  [[TEXT]],
  [{}],
  [{ text: "words" }],
  [{ type: 7 }],
  [{ type: "other", text: "words" }],
  [{ type: "text" }],
  [{ type: "thinking", text: 7 }],
  [{ type: "image", data: "AAAA" }],
  [{ type: "file", mimeType: 7, text: "words" }],
  [{ ...CALL, id: 7 }],
  [{ ...CALL, name: undefined }],
  [{ ...CALL, args: [] }],
  [{ ...CALL, rawArgs: 7 }],
  [{ ...CALL, childSessionId: null }],
  [{ ...RESULT, toolCallId: 7 }],
  [{ ...RESULT, content: "words" }],
  [{ ...TEXT, signature: 7 }],
  [{ ...IMAGE, data: 7 }],
  [{ ...IMAGE, url: 7 }],
  [{ ...FILE, name: 7 }],
  [{ ...FILE, text: 7 }],
  [{ ...FILE, blob: 7 }],
])("%j is not a whole block: it is kept as unknown", (raw) => {
  expect(toBlocks([raw])).toEqual([{ type: "unknown", raw }]);
});

test.each([
  ["ok", { status: "ok" }],
  ["error", { status: "error" }],
  ["interrupted", { status: "interrupted" }],
  ["toString", {}],
  [undefined, {}],
])("a result of the status %s has %j", (status, expected) => {
  const { status: _, ...rest } = RESULT;
  expect(toBlocks([{ ...rest, status }])).toEqual([{ ...rest, ...expected }]);
});

test.each([
  [true, true],
  [false, false],
  [undefined, false],
  ["true", false],
])("a result whose isError is %j has %j", (isError, expected) => {
  expect(toBlocks([{ ...RESULT, isError }])).toEqual([{ ...RESULT, isError: expected }]);
});

test("within a result a text is a block, and a call, a result or half a block is unknown", () => {
  const content = ["words", IMAGE, CALL, RESULT, { type: "text" }, null];
  expect(toBlocks([{ ...RESULT, content }])).toEqual([
    {
      ...RESULT,
      content: [
        TEXT,
        IMAGE,
        ...[CALL, RESULT, { type: "text" }, null].map((raw) => ({ type: "unknown", raw })),
      ],
    },
  ]);
});

test.each<readonly [readonly Block[], boolean]>([
  [[], false],
  [[{ type: "text", text: "" }], false],
  [[{ type: "thinking", text: "hm" }], false],
  [
    [
      { type: "text", text: "" },
      { type: "text", text: " " },
    ],
    true,
  ],
])("of %j it is %s that it has text", (blocks, expected) => {
  expect(hasText(blocks)).toBe(expected);
});

describe("the input of a call", () => {
  test.each([
    [undefined, { args: {} }, {}],
    [null, { args: {} }, {}],
    [{}, { args: {} }, {}],
    [{ a: 1 }, { args: { a: 1 } }, { a: 1 }],
    ['{"a":1}', { args: { a: 1 }, rawArgs: '{"a":1}' }, { a: 1 }],
    ["{}", { args: {}, rawArgs: "{}" }, "{}"],
    ["[1]", { args: {}, rawArgs: "[1]" }, "[1]"],
    ['{"a', { args: {}, rawArgs: '{"a' }, '{"a'],
    ["", { args: {}, rawArgs: "" }, ""],
    [[1, 2], { args: {}, rawArgs: "[1,2]" }, "[1,2]"],
    [7, { args: {}, rawArgs: "7" }, "7"],
  ])("%j is kept, and repeated by the result", (input, kept, repeated) => {
    const call: ToolCallBlock = toCall("c", "read", input);
    expect(call).toEqual({ type: "tool_call", id: "c", name: "read", ...kept });
    expect(inputOf(call)).toEqual(repeated);
  });
});

test.each([
  [undefined, { content: [] }],
  [null, { content: [] }],
  ["", { content: [] }],
  ["words", { content: [TEXT] }],
  [[], { content: [] }],
  [["words", IMAGE], { content: [TEXT, IMAGE] }],
  [[TEXT, 7], { content: [{ type: "text", text: JSON.stringify([TEXT, 7]) }], details: [TEXT, 7] }],
  [
    [{ type: "text" }],
    { content: [{ type: "text", text: '[{"type":"text"}]' }], details: [{ type: "text" }] },
  ],
  [{ a: 1 }, { content: [{ type: "text", text: '{"a":1}' }], details: { a: 1 } }],
  [false, { content: [{ type: "text", text: "false" }], details: false }],
])("the output %j is the result %j", (output, expected) => {
  expect(toResult("c", output)).toEqual({
    type: "tool_result",
    toolCallId: "c",
    isError: false,
    status: "ok",
    ...expected,
  });
});

describe("a failure", () => {
  const DENIED = "Permission to use the tool was denied.";
  const CANCELLED = "The call was cancelled.";
  const INTERRUPTED = "The call was interrupted: whether it took effect is not known.";
  const FAILED = "The tool failed.";

  test.each<readonly [unknown, string | undefined, string, readonly string[], unknown]>([
    [undefined, undefined, "error", [FAILED], undefined],
    ["", "error", "error", [FAILED], undefined],
    ["no file", undefined, "error", ["no file"], undefined],
    ["no file", "ok", "error", ["no file"], undefined],
    ["no file", "constructor", "error", ["no file"], undefined],
    [null, "denied", "denied", [DENIED], undefined],
    ["By Ann.", "denied", "denied", [`${DENIED} By Ann.`], undefined],
    ["", "cancelled", "cancelled", [CANCELLED], undefined],
    ["", "interrupted", "interrupted", [INTERRUPTED], undefined],
    [{ message: "no file", code: 2 }, undefined, "error", ["no file"], { message: "no file", code: 2 }],
    [{ code: 2 }, "denied", "denied", [`${DENIED} {"code":2}`], { code: 2 }],
    [[], undefined, "error", ["[]"], []],
    [[1], undefined, "error", ["[1]"], [1]],
    [7, undefined, "error", ["7"], undefined],
    [["one", TEXT], undefined, "error", ["one", "words"], undefined],
    [["one"], "denied", "denied", [DENIED, "one"], undefined],
    [[`${DENIED} By Ann.`], "denied", "denied", [`${DENIED} By Ann.`], undefined],
    [[`So: ${DENIED}`], "denied", "denied", [DENIED, `So: ${DENIED}`], undefined],
  ])(
    "with the error %j and the status %s is a result of the status %s",
    (error, status, known, words, details) => {
      expect(toFailure("c", error, status)).toEqual({
        type: "tool_result",
        toolCallId: "c",
        isError: true,
        status: known,
        content: words.map((text) => ({ type: "text", text })),
        ...(details === undefined ? {} : { details }),
      });
    },
  );

  test("whose blocks begin with a picture says first what it is", () => {
    expect(toFailure("c", [IMAGE], "cancelled").content).toEqual([{ type: "text", text: CANCELLED }, IMAGE]);
  });

  test("keeps a call among its blocks as unknown", () => {
    expect(toFailure("c", [CALL], undefined).content).toEqual([{ type: "unknown", raw: CALL }]);
  });
});

test.each([
  [undefined, undefined],
  [7, undefined],
  [[], undefined],
  [{}, undefined],
  [{ input_tokens: null, output_tokens: null }, undefined],
  [
    { inputTokens: 1, input_tokens: 2, output_tokens: "3", totalTokens: Number.NaN, other: 4 },
    { inputTokens: 1, outputTokens: 0 },
  ],
  [
    { inputTokens: null, input_tokens: 2, cost_usd: Number.POSITIVE_INFINITY, reasoning_tokens: 0 },
    { inputTokens: 2, outputTokens: 0, reasoningTokens: 0 },
  ],
])("the usage %j is %j", (usage, expected) => {
  expect(toUsage(usage)).toEqual(expected);
});

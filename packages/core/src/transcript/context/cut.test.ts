/** These tests cover the rest of a message whose texts are cut. */

import { describe, expect, test } from "vitest";
import type { Block, Message, ToolCallBlock } from "../../model/index.ts";
import { charsOfMessages } from "./cost.ts";
import { cutMessages, cutMiddle } from "./cut.ts";

/** A call of a tool and its result, whose message repeats the arguments. */
function called(args: Readonly<Record<string, unknown>>, rawArgs?: string): readonly Message[] {
  const call = { type: "tool_call", id: "c", name: "read", args } as const;
  const result = { type: "tool_result", toolCallId: "c", isError: false } as const;
  return [
    {
      id: "a",
      role: "assistant",
      content: [rawArgs === undefined ? call : { ...call, rawArgs }],
      metadata: {},
    },
    {
      id: "r",
      role: "tool",
      toolCallId: "c",
      toolName: "read",
      metadata: {},
      content: [{ ...result, content: [{ type: "text", text: "x".repeat(1_000) }] }],
      toolInput: rawArgs ?? args,
      toolOutput: "x".repeat(1_000),
    },
  ];
}

test.each([
  ["arguments that fit", called({ path: "a.ts" }), { path: "a.ts" }],
  ["arguments, and the text that they were", called({ path: "a.ts" }, '{"path": "a.ts"}'), { path: "a.ts" }],
  ["no arguments", called({}), {}],
  ["a text that is no JSON", called({}, '{"path'), '{"path'],
])("a result keeps the arguments that it repeats of its call: %s", (_, messages, toolInput) => {
  const [, cut] = cutMessages(messages, 400);
  expect(cut).toMatchObject({ toolInput });
  expect(cut?.toolOutput).toMatch(/^x+\n\[… \d+ characters left out …\]\nx+$/u);
  expect(cut?.metadata).toEqual({ cut: expect.any(Number) });
});

describe("a text cut in the middle", () => {
  const TEXT = `${"a".repeat(50)}${"b".repeat(50)}`;

  test.each([
    [100, TEXT],
    [99, `${"a".repeat(34)}\n[… 32 characters left out …]\n${"b".repeat(34)}`],
    [62, `${"a".repeat(16)}\n[… 69 characters left out …]\n${"b".repeat(15)}`],
    [61, `${"a".repeat(30)}…${"b".repeat(30)}`],
    [4, "aa…b"],
    [3, "a…b"],
    [2, "a…"],
    [1, "…"],
    [0, ""],
  ])("to %i characters", (maxChars, expected) => {
    expect(cutMiddle(TEXT, maxChars)).toBe(expected);
  });

  test.each([
    ["😀😀😀", 5, "😀…😀"],
    ["😀😀😀", 4, "😀…"],
    ["a😀😀b", 5, "a…b"],
    ["\ud83da\ud83da\ud83da", 5, "\ud83da…\ud83da"],
    ["a\ude00a\ude00a\ude00", 5, "a\ude00…a\ude00"],
  ])("%j, cut to %i characters without splitting one, is %j", (text, maxChars, expected) => {
    expect(cutMiddle(text, maxChars)).toBe(expected);
  });
});

function said(...content: readonly Block[]): Message {
  return { id: "m", role: "assistant", content, metadata: { a: 1 } };
}

const x = (length: number): string => "x".repeat(length);
/** Returns the rest of many `x` in the room of `length` characters. */
const cutX = (length: number): string =>
  `${x(Math.ceil((length - 1) / 2))}…${x(Math.floor((length - 1) / 2))}`;
const NATIVE = { native: { record: 1 } } as object;

describe("messages cut to a length", () => {
  test("stay the same objects if they fit", () => {
    const messages = [said({ type: "text", text: x(10) })];
    expect(cutMessages(messages, 10)).toBe(messages);
    expect(cutMessages(messages, 9)[0]?.metadata).toEqual({ a: 1, cut: 1 });
  });

  test.each<readonly [string, readonly Block[], number, readonly Block[]]>([
    [
      "the longest texts are cut to one length, and short texts stay",
      [
        { type: "text", text: x(100), ...NATIVE },
        { type: "text", text: x(10), ...NATIVE },
        { type: "thinking", text: x(60), ...NATIVE },
      ],
      110,
      [
        { type: "text", text: cutX(50) },
        { type: "text", text: x(10), ...NATIVE },
        { type: "thinking", text: cutX(50) },
      ],
    ],
    [
      "a text that has exactly the common length stays",
      [
        { type: "text", text: x(20), ...NATIVE },
        { type: "text", text: x(60) },
      ],
      40,
      [
        { type: "text", text: x(20), ...NATIVE },
        { type: "text", text: cutX(20) },
      ],
    ],
    [
      "signed thinking stays if it takes at most half of the room",
      [
        { type: "thinking", text: x(20), signature: x(10) },
        { type: "text", text: x(100) },
      ],
      60,
      [
        { type: "thinking", text: x(20), signature: x(10) },
        { type: "text", text: cutX(30) },
      ],
    ],
    [
      "signed thinking that takes more than half of the room is cut like any other text",
      [
        { type: "thinking", text: x(20), signature: x(10) },
        { type: "text", text: x(100) },
      ],
      59,
      [
        { type: "thinking", text: x(20) },
        { type: "text", text: cutX(39) },
      ],
    ],
    [
      "encrypted thinking stays if it takes at most half of the room",
      [
        { type: "thinking", text: "", data: x(30) },
        { type: "text", text: x(100) },
      ],
      60,
      [
        { type: "thinking", text: "", data: x(30) },
        { type: "text", text: cutX(30) },
      ],
    ],
    [
      "encrypted thinking that takes more than half of the room keeps only its text",
      [
        { type: "thinking", text: x(5), data: x(30) },
        { type: "text", text: x(100) },
      ],
      60,
      [
        { type: "thinking", text: x(5) },
        { type: "text", text: cutX(55) },
      ],
    ],
    [
      "a signed block stays even if texts are cut to less than its length",
      [
        { type: "thinking", text: x(5), data: x(5) },
        { type: "thinking", text: x(5), signature: x(5) },
        { type: "text", text: x(4), signature: x(9) },
        ...Array.from({ length: 3 }, () => ({ type: "text", text: x(100) }) as const),
      ],
      58,
      [
        { type: "thinking", text: x(5), data: x(5) },
        { type: "thinking", text: x(5), signature: x(5) },
        { type: "text", text: x(4), signature: x(9) },
        ...Array.from({ length: 3 }, () => ({ type: "text", text: cutX(8) }) as const),
      ],
    ],
    [
      "a text that is cut loses its signature",
      [{ type: "text", text: x(100), signature: x(10) }],
      60,
      [{ type: "text", text: cutX(50) }],
    ],
    [
      "a signature for which there is no room is dropped",
      [{ type: "text", text: x(20), signature: x(40) }],
      60 - 1,
      [{ type: "text", text: x(20) }],
    ],
    [
      "a file keeps its name, and its text is cut",
      [{ type: "file", mimeType: "text/plain", name: "a", text: x(100), ...NATIVE }],
      19 + 50,
      [{ type: "file", mimeType: "text/plain", name: "a", text: cutX(50) }],
    ],
    [
      "a file for which there is no room becomes a text",
      [{ type: "file", mimeType: "text/plain", name: "a", text: x(100) }],
      37,
      [{ type: "text", text: `[file a text/plain…${x(18)}` }],
    ],
    [
      "a file without a text becomes its name",
      [
        { type: "file", mimeType: "text/plain", name: "a" },
        { type: "text", text: x(30) },
      ],
      37,
      [
        { type: "text", text: "[file a t…t/plain]" },
        { type: "text", text: cutX(18) },
      ],
    ],
    [
      "a picture and an unknown block become texts",
      [
        { type: "image", mimeType: "a/b", data: "AAAA" },
        { type: "unknown", raw: { a: 1 } },
        { type: "text", text: x(100) },
      ],
      35,
      [
        { type: "text", text: "[image a/b]" },
        { type: "text", text: '{"a":1}' },
        { type: "text", text: cutX(17) },
      ],
    ],
    [
      "a picture and an unknown block stay where there is room for them",
      [
        { type: "image", mimeType: "a/b", data: "AAAA" },
        { type: "unknown", raw: { a: 1 } },
        { type: "text", text: x(100) },
      ],
      36,
      [
        { type: "image", mimeType: "a/b", data: "AAAA" },
        { type: "unknown", raw: { a: 1 } },
        { type: "text", text: cutX(18) },
      ],
    ],
    [
      "an empty text stays",
      [
        { type: "text", text: "" },
        { type: "text", text: x(10) },
      ],
      4,
      [
        { type: "text", text: "" },
        { type: "text", text: "xx…x" },
      ],
    ],
  ])("%s", (_, content, maxChars, expected) => {
    const messages = [said(...content)];
    const [cut] = cutMessages(messages, maxChars);
    expect(cut?.content).toEqual(expected);
    expect(cut?.metadata).toEqual({
      a: 1,
      cut: charsOfMessages(messages) - charsOfMessages([said(...expected)]),
    });
  });

  test("name the number of lost characters in their metadata, unless they lost nothing", () => {
    const [short, long] = cutMessages(
      [said({ type: "text", text: x(5) }), said({ type: "text", text: x(50) })],
      25,
    );
    expect(short?.metadata).toEqual({ a: 1 });
    expect(long).toEqual({ ...said({ type: "text", text: cutX(20) }), metadata: { a: 1, cut: 30 } });
  });
});

describe("a call that is cut", () => {
  const call = (args: ToolCallBlock["args"], more: object = {}): ToolCallBlock => ({
    type: "tool_call",
    id: "c",
    name: "read",
    args,
    ...more,
  });
  /** Cuts the block to arguments of `chars` characters, in addition to its name and `{}`. */
  const cutTo = (block: ToolCallBlock, chars: number): unknown =>
    cutMessages([said(block, { type: "text", text: "" })], 6 + chars)[0]?.content[0];

  test.each<readonly [string, ToolCallBlock, number, ToolCallBlock]>([
    [
      "keeps the text of its arguments, cut to the room",
      call({}, { rawArgs: x(50), ...NATIVE }),
      20,
      call({}, { rawArgs: cutX(22) }),
    ],
    ["keeps its keys and its short values", call({ a: x(50), b: 1 }), 30, call({ a: cutX(16), b: 1 })],
    [
      "keeps lists, and the values in them that are not texts",
      call({ a: [x(50), null, true, { b: x(50) }] }),
      53,
      call({ a: [cutX(13), null, true, { b: cutX(13) }] }),
    ],
    ["has no arguments if their keys alone are too long", call({ [x(50)]: 1 }), 20, call({})],
    ["loses its native record", call({ [x(50)]: 1 }, NATIVE), 20, call({})],
  ])("%s", (_, block, chars, expected) => {
    expect(cutTo(block, chars)).toEqual(expected);
  });

  test.each([
    [call({ a: x(10) }), 16],
    [call({}, { rawArgs: x(20), ...NATIVE }), 20],
  ])("that fits exactly stays the same: %j", (block, chars) => {
    const other = { type: "text", text: x(100) } as const;
    const fixed = charsOfMessages([said(block)]) - chars;
    const [cut] = cutMessages([said(block, other)], fixed + 2 * chars);
    expect(cut?.content).toEqual([block, { type: "text", text: cutX(chars) }]);
    expect(cut?.content[0]).toBe(block);
  });

  test("loses a signature that has no room, before anything else", () => {
    const block = call({ a: x(10) }, { signature: x(50) });
    const [cut] = cutMessages([said(block)], 71);
    expect(cut).toEqual({ ...said(call({ a: x(10) })), metadata: { a: 1, cut: 50 } });
  });

  test("is repeated by its result as it was cut", () => {
    const [, result] = cutMessages(called({ path: x(500) }), 400);
    expect(result?.toolInput).toEqual({
      path: expect.stringMatching(/^x+\n\[… \d+ characters left out …\]\nx+$/u),
    });
  });
});

test("the blocks of a result and what it repeats of them are cut; its details and its record are dropped", () => {
  const result = { type: "tool_result", toolCallId: "c", isError: true, status: "error" } as const;
  const image: Block = { type: "image", mimeType: "a/b", data: "AAAA" };
  const content: readonly Block[] = [{ type: "text", text: x(100) }, image];
  const message: Message = {
    id: "r",
    role: "tool",
    toolCallId: "c",
    toolName: "read",
    toolInput: { a: 1 },
    metadata: {},
    content: [{ ...result, content, details: { a: 1 }, ...NATIVE }],
    toolOutput: x(100),
  };
  expect(cutMessages([message], 41)).toEqual([
    {
      ...message,
      content: [{ ...result, content: [{ type: "text", text: cutX(30) }, image] }],
      toolOutput: cutX(30),
      metadata: { cut: 70 },
    },
  ]);
  expect(cutMessages([message], 21)[0]?.toolOutput).toBe(`${cutX(10)}\n\n[imag…a/b]`);
});

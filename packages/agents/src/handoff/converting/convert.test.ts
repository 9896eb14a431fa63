/** The part of a conversation that each agent can receive, and the receipt's line for every block. */

import { AGENT_NAMES, type AgentName, type Block, type Message } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import { convertMessages } from "./convert.ts";
import { type ReceiptRecord, toldApart } from "./receipt.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUg==";
const USAGE = { inputTokens: 3, outputTokens: 4 };
const HALF = "\ud83d";

function said(at: number, role: Message["role"], content: readonly Block[]): Message {
  return { id: `m${at}`, role, content, metadata: { records: [{ line: at }] } };
}

const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string, more: object = {}): Block => ({
  type: "tool_call",
  id,
  name: "look",
  args: {},
  ...more,
});
const result = (id: string, ...content: readonly Block[]): Block => ({
  type: "tool_result",
  toolCallId: id,
  isError: false,
  content: content.length === 0 ? [text(`of ${id}`)] : content,
});

interface Case {
  readonly to?: AgentName;
  readonly role?: "user" | "assistant";
  readonly block: Block;
  /** The block in its place; left out if there is none. */
  readonly made?: Block;
  /** The outcome and the reason. */
  readonly told: string;
}

const image = (mimeType: string, more: object = { data: PNG }): Block => ({
  type: "image",
  mimeType,
  ...more,
});
const file = (mimeType: string, more: object): Block => ({ type: "file", mimeType, ...more });
const thinking = (words: string, more: object = {}): Block => ({ type: "thinking", text: words, ...more });

const CASES: readonly (readonly [string, Case])[] = [
  ["a picture", { block: image("image/png"), made: image("image/png"), told: "kept" }],
  [
    "a picture of a type that no model takes",
    { block: image("image/svg+xml"), told: "dropped: the target does not accept images of this type" },
  ],
  [
    "a picture that Gemini does not take, and others do",
    {
      to: "gemini",
      block: image("image/gif"),
      told: "dropped: the target does not accept images of this type",
    },
  ],
  ["an animated one", { block: image("image/gif"), made: image("image/gif"), told: "kept" }],
  [
    "a picture of a phone that Gemini takes",
    { to: "gemini", block: image("image/heic"), made: image("image/heic"), told: "kept" },
  ],
  [
    "and others do not",
    { block: image("image/heic"), told: "dropped: the target does not accept images of this type" },
  ],
  [
    "a picture by another name of its type",
    {
      block: image("image/jpg"),
      made: image("image/jpeg"),
      told: "rewritten: its media type made acceptable",
    },
  ],
  [
    "a picture of no type, known by its data",
    { block: image("image/*"), made: image("image/png"), told: "rewritten: its media type made acceptable" },
  ],
  [
    "a picture without data",
    { block: image("image/png", { data: "" }), told: "dropped: an image without data" },
  ],
  [
    "a picture in an address of data",
    {
      block: image("image/png", { url: `data:image/png;base64,${PNG}` }),
      made: image("image/png"),
      told: "kept",
    },
  ],
  [
    "a picture that lies elsewhere",
    {
      to: "codex",
      block: image("image/*", { url: "https://images.example/a.png" }),
      made: image("image/*", { url: "https://images.example/a.png" }),
      told: "kept",
    },
  ],
  [
    "a picture that lies on a disk",
    {
      to: "codex",
      block: image("image/*", { url: "file:///a.png" }),
      told: "dropped: the target accepts only images with data",
    },
  ],
  [
    "a document that is text and data",
    {
      to: "claude",
      block: file("text/markdown", { name: "a.md", data: "IyBB", text: "# A" }),
      made: file("text/plain", { name: "a.md", text: "# A" }),
      told: "rewritten: as plain text",
    },
  ],
  [
    "a file whose name has no place",
    {
      to: "gemini",
      block: file("application/pdf", { name: "a.pdf", data: "JVBERi0=" }),
      made: file("application/pdf", { data: "JVBERi0=" }),
      told: "rewritten: without its name",
    },
  ],
  [
    "a file without data",
    { to: "gemini", block: file("application/pdf", { data: "" }), told: "dropped: a file without data" },
  ],
  [
    "half of a character in a thought",
    {
      role: "assistant",
      block: thinking(`so${HALF}`),
      made: thinking("so\ufffd"),
      told: "rewritten: halves of characters are replaced",
    },
  ],
  [
    "a thought without a seal",
    { role: "assistant", block: thinking("so", { signature: "" }), made: thinking("so"), told: "kept" },
  ],
  [
    "a thought that is sealed, with words",
    {
      to: "claude",
      role: "assistant",
      block: thinking("so", { redacted: true, data: "sealed", signedBy: "anthropic" }),
      made: thinking("", { redacted: true, data: "sealed", signedBy: "anthropic" }),
      told: "rewritten: only in its encrypted form",
    },
  ],
  [
    "half of a character in the input of a call",
    {
      role: "assistant",
      block: call("c", { args: { in: [HALF] } }),
      made: call("c", { args: { in: ["\ufffd"] } }),
      told: "rewritten: its input made acceptable",
    },
  ],
  [
    "a call that is signed",
    {
      role: "assistant",
      block: call("c", { signature: "signed" }),
      made: call("c"),
      told: "rewritten: without its signature",
    },
  ],
  [
    "a call that the vendor ran",
    {
      role: "assistant",
      block: call("c", { ranBy: "model" }),
      made: call("c"),
      told: "rewritten: the vendor ran it: written as a call of the agent",
    },
  ],
];

function wordsOf({ outcome, reason }: ReceiptRecord): string {
  return reason === "" ? outcome : `${outcome}: ${reason}`;
}

test.each(CASES)("%s", (_name, { to = "pi", role = "user", block, made, told }) => {
  const { messages, records } = convertMessages([said(1, "user", [text("hi")]), said(2, role, [block])], to);
  expect(messages[1]?.content ?? []).toEqual(made === undefined ? [] : [made]);
  const ofSource = records.filter(({ place }) => place !== "new session");
  expect(ofSource.slice(1).map(wordsOf)).toEqual([told]);
});

describe("results", () => {
  const plain = (messages: readonly { readonly content: readonly Block[] }[]): unknown[] =>
    messages.map(({ content: [first] }) => {
      if (first?.type === "tool_call") return `${first.id}?`;
      if (first?.type !== "tool_result") return "";
      const [words] = first.content;
      return `${first.toolCallId}: ${words?.type === "text" ? words.text : ""}`;
    });
  const NONE = "[No result of this call was recorded.]";

  test.each<readonly [string, readonly Message[], readonly string[], readonly string[]]>([
    [
      "of a call of the same id later on are not taken for those of one that has none",
      [said(1, "assistant", [call("c")]), said(2, "assistant", [call("c")]), said(3, "tool", [result("c")])],
      ["c?", `c: ${NONE}`, "c-2?", "c-2: of c"],
      [],
    ],
    [
      "of two calls of one id are one each",
      [
        said(1, "assistant", [call("c"), call("c")]),
        said(2, "tool", [result("c", text("one"))]),
        said(3, "tool", [result("c", text("two"))]),
      ],
      ["c?", "c: one", "c-2: two"],
      [],
    ],
    [
      "that nothing waits for are told, with the pictures in them",
      [
        said(1, "assistant", [call("c"), result("x", image("image/png"))]),
        said(2, "tool", [result("c")]),
        said(3, "tool", [result("c", image("image/png"))]),
        said(4, "assistant", [result("y")]),
      ],
      ["c?", "c: of c"],
      ["line 1 tool_result", "line 1 image", "line 3 tool_result", "line 3 image", "line 4 tool_result"],
    ],
  ])("%s", (_name, source, expected, dropped) => {
    const { messages, records } = convertMessages([said(0, "user", [text("hi")]), ...source], "pi");
    expect(plain(messages.slice(1))).toEqual(expected);
    const lost = records.filter(({ outcome }) => outcome === "dropped");
    expect(lost.map(({ place, kind }) => `${place} ${kind}`)).toEqual(dropped);
  });
});

test.each(AGENT_NAMES)(
  "a tool that the vendor ran keeps its place, its success and its picture when it goes to %s",
  (to) => {
    const vendor = (id: string): Block => call(id, { ranBy: "model" });
    const content = [vendor("a"), result("a"), vendor("b"), result("b", image("image/png")), text("A leaf.")];
    const source = [said(1, "user", [text("hi")]), { ...said(2, "assistant", content), usage: USAGE }];
    const { messages, records } = convertMessages(source, to);
    const picture = image("image/png");
    // A result of Copilot has only text: its picture comes in a message of its own.
    const withPicture =
      to === "copilot"
        ? [{ toolCallId: "b", isError: false }, picture]
        : [{ toolCallId: "b", isError: false, content: expect.arrayContaining([picture]) }];
    expect(messages.map(({ content: [first] }) => first)).toMatchObject([
      text("hi"),
      call("a"),
      { toolCallId: "a", isError: false },
      call("b"),
      ...withPicture,
      text("A leaf."),
    ]);
    expect(messages.flatMap(({ usage }) => usage ?? [])).toEqual([USAGE]);
    expect(records.filter(({ outcome }) => outcome === "dropped")).toEqual([]);
  },
);

test.each<readonly [AgentName, string, readonly Block[], readonly string[]]>([
  ["pi", "a text behind a picture", [image("image/png"), text("a")], ["kept", "kept"]],
  [
    "gemini",
    "a text behind a picture",
    [text("a"), image("image/png")],
    ["kept", "rewritten: its text comes first"],
  ],
  [
    "opencode",
    "a text behind a picture",
    [text("a"), image("image/png")],
    ["kept", "rewritten: its text comes first"],
  ],
])("in a result of %s: %s", (to, _name, made, told) => {
  const source = [
    said(1, "user", [text("hi")]),
    said(2, "assistant", [call("c")]),
    said(3, "tool", [result("c", image("image/png"), text("a"))]),
  ];
  const { messages, records } = convertMessages(source, to);
  expect(messages[2]?.content).toMatchObject([{ content: made }]);
  expect(records.slice(2).map(wordsOf)).toEqual(told);
});

const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", HALF, "\u0000", "/help", "<session_context>", " \n", "__proto__"),
);
const ids = fc.constantFrom("c1", "c2", "", "a b", "x".repeat(100), HALF);
const strangeText: fc.Arbitrary<Block> = fc
  .record({ text: words, signature: fc.constant("signed") }, { requiredKeys: ["text"] })
  .map((block) => ({ type: "text", ...block }));
const mimeType = fc.constantFrom("image/png", "image/svg+xml", "", "application/pdf", "text/plain");
const media: fc.Arbitrary<Block> = fc.oneof(
  fc
    .tuple(mimeType, fc.constantFrom({ data: PNG }, { data: "" }, { url: "https://files.example/a" }, {}))
    .map(([type, place]) => image(type, place)),
  fc
    .tuple(
      mimeType,
      fc.constantFrom({ data: PNG }, { text: "# A" }, { text: HALF, name: "a" }, { data: PNG, name: "a" }),
    )
    .map(([type, place]) => file(type, place)),
);
const other = fc.constant<Block>({ type: "unknown", raw: { odd: 1 } });
const thought: fc.Arbitrary<Block> = fc
  .record(
    {
      text: words,
      signature: fc.constantFrom("", "signed"),
      data: fc.constant("sealed"),
      signedBy: fc.constantFrom("anthropic", "openai"),
    },
    { requiredKeys: ["text"] },
  )
  .map((block) => ({ type: "thinking", ...block }));
const anyCall: fc.Arbitrary<Block> = fc
  .record(
    {
      id: ids,
      name: fc.constantFrom("Bash", "a.b", "", "日本", "x".repeat(300)),
      args: fc.dictionary(words, words, { maxKeys: 2 }),
      rawArgs: fc.constantFrom("{}", "no JSON", "[1]", HALF),
      ranBy: fc.constantFrom("agent", "model"),
      signature: fc.constant("signed"),
    },
    { requiredKeys: ["id", "name", "args"] },
  )
  .map((block) => ({ type: "tool_call", ...block }) as Block);
const anyResult: fc.Arbitrary<Block> = fc
  .record({
    toolCallId: ids,
    content: fc.array(fc.oneof(strangeText, media, other), { maxLength: 3 }),
    isError: fc.boolean(),
  })
  .map((block) => ({ type: "tool_result", ...block }));
const anyMessage = fc.oneof(
  fc.record({
    role: fc.constant("user" as const),
    content: fc.array(fc.oneof(strangeText, media, other, thought), { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(fc.oneof(strangeText, anyCall, thought, media, anyResult), { maxLength: 4 }),
  }),
  anyResult.map((block) => ({ role: "tool" as const, content: [block] })),
);
const talks = fc
  .array(anyMessage, { maxLength: 8 })
  .map((messages) => messages.map(({ role, content }, at) => said(at, role, content)));

/** Returns the block without the fields that the test does not compare. */
function toldAs(block: Block): Block {
  if (block.type === "tool_call") {
    const { ranBy: _, rawArgs: __, ...rest } = block;
    return rest;
  }
  if (block.type === "thinking" && block.signature === "" && block.data === undefined) {
    const { signature: _, ...rest } = block;
    return rest;
  }
  return block;
}

test.each(AGENT_NAMES)(
  "every block is on one line of the receipt to %s; what is kept is there as it was",
  (to) => {
    fc.assert(
      fc.property(talks, (source) => {
        const { messages, sources, records } = convertMessages(source, to);
        for (const message of source) {
          const place = `line ${message.metadata.records?.[0]?.line}`;
          const lines = records.filter((line) => line.place === place);
          const blocks = toldApart(message.content);
          const kinds = blocks.map(({ type }) => (type === "unknown" ? "other" : type));
          expect(lines.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
          for (const line of lines) expect(line.reason === "").toBe(line.outcome === "kept");
          if (lines.some(({ outcome }) => outcome !== "kept") || message.role === "tool") continue;
          const made = messages.filter((_, at) => sources[at] === message).flatMap(({ content }) => content);
          const own = message.content.filter(({ type }) => type !== "tool_result").map(toldAs);
          expect(made).toEqual(expect.arrayContaining(own));
        }
      }),
      { numRuns: rounds(400) },
    );
  },
);

test.each<AgentName>(["claude", "opencode"])(
  "a picture in a failed result stands behind it in %s, and is on the receipt",
  (to) => {
    const failed = { ...result("c", text("It broke."), image("image/png")), isError: true } as Block;
    const source = [
      said(0, "user", [text("hi")]),
      said(1, "assistant", [call("c")]),
      said(2, "tool", [failed]),
    ];
    const { messages, records } = convertMessages(source, to);
    expect(messages.slice(2)).toMatchObject([
      { role: "tool", content: [{ type: "tool_result", isError: true, content: [text("It broke.")] }] },
      { role: "user", content: [image("image/png")] },
    ]);
    expect(records.filter(({ kind }) => kind === "image")).toMatchObject([
      { outcome: "rewritten", reason: "follows the result, which failed" },
    ]);
  },
);

test.each(
  AGENT_NAMES.flatMap((to) =>
    (["error", "denied", "cancelled", "interrupted"] as const).map((status) => ({ to, status })),
  ),
)("a result that is marked $status stays a failure in $to", ({ to, status }) => {
  const failed = { ...result("c", text("no")), isError: true, status } as Block;
  const source = [
    said(0, "user", [text("hi")]),
    said(1, "assistant", [call("c")]),
    said(2, "tool", [failed]),
  ];
  const [made] = convertMessages(source, to).messages[2]?.content ?? [];
  expect(made).toEqual({
    type: "tool_result",
    toolCallId: "c",
    isError: true,
    status,
    content: [text("no")],
  });
});

test("a conversation that begins with an answer is given a first turn for Claude Code", () => {
  const { messages } = convertMessages([said(0, "assistant", [text("Hello.")])], "claude");
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", [text("[The conversation begins with the answer of the agent.]")]],
    ["assistant", [text("Hello.")]],
  ]);
});

test.each(AGENT_NAMES)("what %s itself wrote goes back with its signatures", (to) => {
  const asked = said(0, "user", [text("hi")]);
  const answer = said(1, "assistant", [
    thinking("so", { signature: "sealed", signedBy: "anthropic" }),
    text("I look."),
  ]);
  const { messages, records } = convertMessages([asked, answer], to, { own: new Set([asked, answer]) });
  expect(messages.map(({ content }) => content)).toEqual([asked.content, answer.content]);
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(["kept"]));
});

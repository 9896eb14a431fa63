import type { AgentName, Block, Message, ToolResultBlock } from "@continuo/core/model";
import { agentOf } from "@continuo/native";
import { expect, test } from "vitest";
import { type ConversionContext, fitBlocks, fitResult } from "./blocks.ts";
import { createNames } from "./names.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUg==";
const HALF = "\ud83d";
const MESSAGE: Message = { id: "m", role: "user", content: [], metadata: {} };

const text = (words: string, more: object = {}): Block => ({ type: "text", text: words, ...more });
const thinking = (words: string, more: object = {}): Block => ({ type: "thinking", text: words, ...more });
const call = (more: object = {}): Block => ({ type: "tool_call", id: "c", name: "look", args: {}, ...more });
const image = (more: object = { data: PNG }): Block => ({ type: "image", mimeType: "image/png", ...more });
const file = (more: object): Block => ({ type: "file", mimeType: "text/plain", ...more });
const unknown: Block = { type: "unknown", raw: 1 };
const SVG: Block = { type: "image", mimeType: "image/svg+xml", data: "PHN2Zz4=" };

/** The kind of each block, and what the receipt says of it. */
interface ReceiptNotes {
  readonly told: string[];
  readonly work: ConversionContext;
}

function workFor(to: AgentName, isOwn = false): ReceiptNotes {
  const told: string[] = [];
  const rules = agentOf(to).accepts;
  const note: ConversionContext["note"] = (message, { type }, outcome, reason) => {
    expect(message).toBe(MESSAGE);
    told.push(`${type} ${outcome}${reason === "" ? "" : `: ${reason}`}`);
  };
  return { told, work: { rules, names: createNames(rules), isOwn: () => isOwn, note, add: () => undefined } };
}

interface Case {
  readonly to?: AgentName;
  readonly where?: "prompt" | "answer";
  readonly content: readonly Block[];
  readonly made: readonly Block[];
  readonly told: readonly string[];
}

const SIGNED = { signature: "signed", signedBy: "openai" };
const UNSIGNED = "rewritten: signed by another vendor: without the signature";
const NO_WORDS = "dropped: encrypted by another vendor, without a text";
const OUTSIDE = "dropped: thinking outside of an answer";
const IN_ANSWER = "dropped: no agent accepts an image in an answer";
const NO_KIND = "dropped: the target has no block of this kind";
const MENDED = "rewritten: halves of characters are replaced";
const NOT_SENT = "text rewritten: the target agent would leave out a text that begins like this";

test.each<readonly [string, Case]>([
  [
    "a text, without its record",
    { content: [text("a", { native: 1 })], made: [text("a")], told: ["text kept"] },
  ],
  ["an empty text", { content: [text("", { signature: "s" })], made: [], told: ["text dropped: empty"] }],
  [
    "half of a character",
    { content: [text(HALF, { signature: "s" })], made: [text("\ufffd")], told: [`text ${MENDED}`] },
  ],
  [
    "a signed text",
    {
      content: [text("a", { signature: "s" })],
      made: [text("a")],
      told: ["text rewritten: without its signature"],
    },
  ],
  ["thinking of the user", { content: [thinking("a")], made: [], told: [`thinking ${OUTSIDE}`] }],
  [
    "what the target has no kind for",
    {
      content: [unknown, { type: "tool_result", toolCallId: "c", content: [], isError: false }],
      made: [],
      told: [`unknown ${NO_KIND}`, `tool_result ${NO_KIND}`],
    },
  ],
  ["an image of an answer", { where: "answer", content: [image()], made: [], told: [`image ${IN_ANSWER}`] }],
  [
    "a file that is its text",
    {
      where: "answer",
      content: [file({ text: "a" })],
      made: [text("a")],
      told: ["file rewritten: only its text"],
    },
  ],
])("%s, fitted", (_name, { to = "pi", where = "prompt", content, made, told }) => {
  const whole = workFor(to);
  expect(fitBlocks(MESSAGE, content, { work: whole.work, where })).toEqual(made);
  expect(whole.told).toEqual(told);
});

test.each<readonly [string, Case]>([
  [
    "a command",
    {
      content: [text("/help"), text("/b")],
      made: [text("\u200b/help"), text("/b")],
      told: [NOT_SENT, "text kept"],
    },
  ],
  [
    "a command with half of a character",
    { content: [text(`/${HALF}`)], made: [text("\u200b/\ufffd")], told: [NOT_SENT] },
  ],
  [
    "a command behind words",
    { content: [text("a"), text("/b")], made: [text("a"), text("/b")], told: ["text kept", "text kept"] },
  ],
  [
    "a command behind a picture",
    { content: [image(), text("/b")], made: [image(), text("\u200b/b")], told: ["image kept", NOT_SENT] },
  ],
  [
    "a command behind an empty text",
    { content: [text(""), text("/b")], made: [text("\u200b/b")], told: ["text dropped: empty", NOT_SENT] },
  ],
  [
    "a file whose text begins like a command",
    {
      content: [file({ text: "/b" }), text("/c")],
      made: [text("\u200b/b"), text("/c")],
      told: [NOT_SENT.replace("text", "file"), "text kept"],
    },
  ],
  [
    "a command in an answer",
    { where: "answer", content: [text("/b")], made: [text("/b")], told: ["text kept"] },
  ],
  [
    "a command for an agent that sends it",
    { to: "pi", content: [text("/b")], made: [text("/b")], told: ["text kept"] },
  ],
])(
  "%s, for an agent that does not send commands",
  (_name, { to = "gemini", where = "prompt", content, made, told }) => {
    const whole = workFor(to);
    expect(fitBlocks(MESSAGE, content, { work: whole.work, where })).toEqual(made);
    expect(whole.told).toEqual(told);
  },
);

test.each<readonly [string, AgentName, Block, Block | null, string]>([
  ["signed by its vendor", "codex", thinking(HALF, SIGNED), thinking(HALF, SIGNED), "kept"],
  ["signed by another vendor", "claude", thinking(`a${HALF}`, SIGNED), thinking("a\ufffd"), UNSIGNED],
  ["signed by nobody that is known", "claude", thinking("a", { signature: "s" }), thinking("a"), UNSIGNED],
  ["signed, for any vendor", "pi", thinking("a", SIGNED), thinking("a"), UNSIGNED],
  ["sealed by another vendor", "claude", thinking("", SIGNED), null, NO_WORDS],
  ["sealed as data by another vendor", "claude", thinking("", { data: "d" }), null, NO_WORDS],
  [
    "named as its vendor's, without a seal",
    "codex",
    thinking(HALF, { signedBy: "openai" }),
    thinking("\ufffd", { signedBy: "openai" }),
    MENDED,
  ],
  [
    "without words or a seal",
    "pi",
    thinking("", { redacted: true, signature: "" }),
    thinking("", { redacted: true }),
    "kept",
  ],
  [
    "hidden, with data and words",
    "codex",
    thinking("a", { ...SIGNED, redacted: true, data: "d" }),
    thinking("", { ...SIGNED, redacted: true, data: "d" }),
    "rewritten: only in its encrypted form",
  ],
  [
    "hidden, with data only",
    "codex",
    thinking("", { signedBy: "openai", redacted: true, data: "d" }),
    thinking("", { signedBy: "openai", redacted: true, data: "d" }),
    "kept",
  ],
  [
    "hidden, with words and a signature",
    "codex",
    thinking("a", { ...SIGNED, redacted: true }),
    thinking("a", { ...SIGNED, redacted: true }),
    "kept",
  ],
  [
    "shown, with data and words",
    "codex",
    thinking("a", { ...SIGNED, data: "d" }),
    thinking("a", { ...SIGNED, data: "d" }),
    "kept",
  ],
])("a thought that is %s", (_name, to, block, made, told) => {
  const whole = workFor(to);
  expect(fitBlocks(MESSAGE, [block], { work: whole.work, where: "answer" })).toEqual(
    made === null ? [] : [made],
  );
  expect(whole.told).toEqual([`thinking ${told}`]);
});

const VENDOR = "the vendor ran it: written as a call of the agent";

test.each<readonly [string, object, object, string]>([
  ["with a strange id", { id: "a b" }, { id: "a_b" }, "rewritten: its id made acceptable"],
  ["with a strange name", { name: "a.b" }, { name: "a_b" }, "rewritten: its name made acceptable"],
  [
    "that is strange in all",
    { id: "", name: "", rawArgs: "x", ranBy: "model", signature: "s", native: 1, childSessionId: "k" },
    { id: "call", name: "tool", args: { input: "x" } },
    `rewritten: ${VENDOR}; its id and its name and its input made acceptable; without its signature`,
  ],
  ["that the agent ran", { ranBy: "agent" }, {}, "kept"],
  ["whose text is an empty object", { rawArgs: " {}\n" }, {}, "kept"],
  ["whose text is empty", { rawArgs: "" }, {}, "kept"],
  ["whose text was parsed", { rawArgs: "{ }", args: { a: 1 } }, { args: { a: 1 } }, "kept"],
])("a call %s", (_name, given, made, told) => {
  const whole = workFor("pi");
  expect(fitBlocks(MESSAGE, [call(given)], { work: whole.work, where: "answer" })).toEqual([call(made)]);
  expect(whole.told).toEqual([`tool_call ${told}`]);
});

test.each<readonly [string, Case]>([
  [
    "a text",
    {
      content: [text(HALF, { native: 1, signature: "s" })],
      made: [text(HALF, { signature: "s" })],
      told: ["text kept"],
    },
  ],
  ["an empty text", { content: [text("")], made: [], told: ["text dropped: empty"] }],
  [
    "an empty text with a signature",
    { content: [text("", { signature: "s" })], made: [text("", { signature: "s" })], told: ["text kept"] },
  ],
  ["a command", { to: "gemini", content: [text("/b")], made: [text("/b")], told: ["text kept"] }],
  [
    "a thought",
    {
      where: "answer",
      content: [thinking("", SIGNED)],
      made: [thinking("", SIGNED)],
      told: ["thinking kept"],
    },
  ],
  ["a thought outside of an answer", { content: [thinking("a")], made: [], told: [`thinking ${OUTSIDE}`] }],
  ["an image", { content: [SVG], made: [SVG], told: ["image kept"] }],
  ["an image of an answer", { where: "answer", content: [SVG], made: [], told: [`image ${IN_ANSWER}`] }],
  [
    "an image at an address",
    {
      content: [image({ url: "https://e.example/a" })],
      made: [],
      told: ["image dropped: the target accepts only images with data"],
    },
  ],
  ["a file", { content: [file({ text: "a" })], made: [text("a")], told: ["file rewritten: only its text"] }],
  ["what has no kind", { content: [unknown], made: [], told: [`unknown ${NO_KIND}`] }],
  [
    "a call",
    {
      where: "answer",
      content: [
        call({
          id: "a b",
          name: "a.b",
          rawArgs: '{"a":1}',
          ranBy: "agent",
          childSessionId: "k",
          native: { n: 1 },
        }),
      ],
      made: [call({ id: "a b", name: "a.b", rawArgs: '{"a":1}', native: { n: 1 } })],
      told: ["tool_call kept"],
    },
  ],
  [
    "a call without a text",
    {
      where: "answer",
      content: [call({ signature: "s" })],
      made: [call({ signature: "s" })],
      told: ["tool_call kept"],
    },
  ],
  [
    "a call that the vendor ran",
    {
      where: "answer",
      content: [call({ ranBy: "model", rawArgs: "{}" })],
      made: [call({ rawArgs: "{}" })],
      told: [`tool_call rewritten: ${VENDOR}`],
    },
  ],
  [
    "a call whose text is no object",
    {
      where: "answer",
      content: [call({ rawArgs: "[1]" }), call({ id: "d", rawArgs: "no JSON", args: { a: 1 } })],
      made: [call({ args: { input: "[1]" } }), call({ id: "d", args: { a: 1 } })],
      told: [
        "tool_call rewritten: its input made acceptable",
        "tool_call rewritten: its input made acceptable",
      ],
    },
  ],
  [
    "a call of a kind that takes any text",
    {
      to: "codex",
      where: "answer",
      content: [
        call({ rawArgs: "any", native: { type: "custom_tool_call" } }),
        call({ id: "d", rawArgs: "any", native: { type: "other" } }),
      ],
      made: [
        call({ rawArgs: "any", native: { type: "custom_tool_call" } }),
        call({ id: "d", native: { type: "other" }, args: { input: "any" } }),
      ],
      told: ["tool_call kept", "tool_call rewritten: its input made acceptable"],
    },
  ],
])(
  "what the target itself wrote, as %s, goes back",
  (_name, { to = "pi", where = "prompt", content, made, told }) => {
    const whole = workFor(to, true);
    expect(fitBlocks(MESSAGE, content, { work: whole.work, where })).toEqual(made);
    expect(whole.told).toEqual(told);
  },
);

interface ResultCase extends Case {
  readonly isError?: boolean;
  readonly moved?: readonly Block[];
}

const RESULTS: readonly (readonly [string, ResultCase])[] = [
  [
    "a text",
    { content: [text("a", { native: 1, signature: "s" })], made: [text("a")], told: ["tool_result kept"] },
  ],
  ["nothing", { content: [], made: [text("")], told: ["tool_result kept"] }],
  ["an empty text", { content: [text("")], made: [text("")], told: ["tool_result kept"] }],
  [
    "half of a character",
    { content: [text(HALF), text("a")], made: [text("\ufffd"), text("a")], told: [`tool_result ${MENDED}`] },
  ],
  [
    "half of a character in its first text",
    { content: [text(HALF), text("a")], made: [text("\ufffd"), text("a")], told: [`tool_result ${MENDED}`] },
  ],
  ["an image", { content: [image()], made: [image()], told: ["image kept", "tool_result kept"] }],
  [
    "an image that is not taken",
    {
      content: [image({})],
      made: [text("")],
      told: ["image dropped: the target accepts only images with data", "tool_result kept"],
    },
  ],
  [
    "a file that is its text",
    {
      content: [file({ text: "a" })],
      made: [text("a")],
      told: ["file rewritten: only its text", "tool_result kept"],
    },
  ],
  [
    "a thought",
    { content: [thinking("a")], made: [text("")], told: [`thinking ${OUTSIDE}`, "tool_result kept"] },
  ],
  [
    "texts around an image, of which one is sent",
    {
      to: "opencode",
      content: [text("a"), image(), text(HALF)],
      made: [text("a\n\n\ufffd"), image()],
      told: ["image kept", "tool_result rewritten: its texts are joined; halves of characters are replaced"],
    },
  ],
  [
    "texts behind an image, of which one is sent",
    {
      to: "opencode",
      content: [image(), text("a"), text("b")],
      made: [text("a\n\nb"), image()],
      told: ["image kept", "tool_result rewritten: its texts are joined"],
    },
  ],
  [
    "a text behind an image, where one is sent",
    {
      to: "opencode",
      content: [image(), text("a")],
      made: [text("a"), image()],
      told: ["image kept", "tool_result rewritten: its text comes first"],
    },
  ],
  [
    "one text, where one is sent",
    {
      to: "opencode",
      content: [text("a"), image()],
      made: [text("a"), image()],
      told: ["image kept", "tool_result kept"],
    },
  ],
  [
    "only images, where one text is sent",
    {
      to: "opencode",
      content: [image(), image()],
      made: [image(), image()],
      told: ["image kept", "image kept", "tool_result kept"],
    },
  ],
  [
    "an error with an image",
    {
      isError: true,
      content: [image(), text("a")],
      made: [image(), text("a")],
      told: ["image kept", "tool_result kept"],
    },
  ],
  [
    "an error with media that an error cannot hold",
    {
      to: "claude",
      isError: true,
      content: [
        image({ mimeType: "image/jpg", data: PNG }),
        SVG,
        image(),
        file({ mimeType: "text/plain", text: "f" }),
        text("a"),
      ],
      made: [text("a")],
      moved: [image({ mimeType: "image/jpeg", data: PNG }), image(), file({ text: "f" })],
      told: [
        "image rewritten: its media type made acceptable",
        "image dropped: the target does not accept images of this type",
        "image rewritten: follows the result, which failed",
        "file rewritten: follows the result, which failed",
        "tool_result kept",
      ],
    },
  ],
  [
    "an error with a file that is its text",
    {
      to: "opencode",
      isError: true,
      content: [file({ text: "a" })],
      made: [text("a")],
      told: ["file rewritten: only its text", "tool_result kept"],
    },
  ],
];

const resultOf = (content: readonly Block[], isError: boolean): ToolResultBlock => ({
  type: "tool_result",
  toolCallId: "c",
  content,
  isError,
});

test.each(RESULTS)(
  "a result that holds %s",
  (_name, { to = "pi", isError = false, content, made, moved = [], told }) => {
    const whole = workFor(to);
    expect(fitResult(MESSAGE, resultOf(content, isError), whole.work)).toEqual({ content: made, moved });
    expect(whole.told).toEqual(told);
  },
);

test.each<readonly [string, readonly Block[], readonly Block[], readonly string[]]>([
  ["texts", [text(HALF, { native: 1 }), text("")], [text(HALF), text("")], []],
  ["an image", [SVG], [SVG], ["image kept"]],
  ["an unknown block", [unknown], [text("")], [`unknown ${NO_KIND}`]],
  ["nothing", [], [text("")], []],
])("a result that the target itself wrote, with %s, goes back", (_name, content, made, told) => {
  const whole = workFor("claude", true);
  expect(fitResult(MESSAGE, resultOf(content, true), whole.work)).toEqual({ content: made, moved: [] });
  expect(whole.told).toEqual([...told, "tool_result kept"]);
});

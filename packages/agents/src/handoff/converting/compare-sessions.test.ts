/** Verification finds every difference in a conversation: in each kind of block, and in each property of a result. */

import type { Block, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import {
  comparedPart,
  compareViews,
  differenceBetween,
  differenceFromSaid,
  isConversation,
  withoutAside,
} from "./compare-sessions.ts";

const said = (role: Message["role"], ...content: readonly Block[]): Message => ({
  id: "m",
  role,
  content,
  metadata: {},
});
const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string, name: string, at: string): Block => ({ type: "tool_call", id, name, args: { at } });
const image = (data: string): Block => ({ type: "image", mimeType: "image/png", data });
const result = (id: string, isError: boolean, ...content: readonly Block[]): Block => ({
  type: "tool_result",
  toolCallId: id,
  isError,
  content,
});

const WRITTEN: readonly Message[] = [
  said("user", text("What is there?"), image("AAAA"), {
    type: "file",
    mimeType: "text/plain",
    text: "a note",
  }),
  said("assistant", { type: "thinking", text: "A look." }, text("I look."), call("c", "look", "it")),
  said("tool", result("c", true, text("no such thing"), image("BBBB"))),
  said("assistant", text("Nothing.")),
];

const read = (at: number, ...content: readonly Block[]): readonly Message[] =>
  WRITTEN.map((message, place) => (place === at ? { ...message, content } : message));

const [PROMPT, ANSWER, RESULT] = WRITTEN.map(({ content }) => content);

test("a session without changes reads the same", () => {
  expect(differenceBetween(WRITTEN, WRITTEN)).toBeNull();
});

test.each<readonly [string, readonly Message[], string]>([
  [
    "another text",
    read(3, text("Something.")),
    'turn 4 (assistant) differs in its texts: "Something." in place of "Nothing."',
  ],
  [
    "a text in two pieces",
    read(3, text("Noth"), text("ing.")),
    'turn 4 (assistant) differs in its texts: "Noth" in place of "Nothing."',
  ],
  [
    "a text that follows",
    read(3, text("Nothing."), text("At all.")),
    'turn 4 (assistant) differs in its texts: "At all." was added',
  ],
  [
    "another picture",
    read(0, ...(PROMPT ?? []).with(1, image("CCCC"))),
    "turn 1 (user) differs in its images",
  ],
  ["no file", read(0, ...(PROMPT ?? []).slice(0, 2)), "turn 1 (user) differs in its files"],
  [
    "no thinking",
    read(1, ...(ANSWER ?? []).slice(1)),
    'turn 2 (assistant) differs in its thinking: "A look." is missing',
  ],
  [
    "another input",
    read(1, ...(ANSWER ?? []).with(2, call("c", "look", "that"))),
    `turn 2 (assistant) differs in its calls: ${JSON.stringify('c look {"at":"that"}')} in place of ${JSON.stringify('c look {"at":"it"}')}`,
  ],
  [
    "another tool",
    read(1, ...(ANSWER ?? []).with(2, call("c", "see", "it"))),
    `turn 2 (assistant) differs in its calls: ${JSON.stringify('c see {"at":"it"}')} in place of ${JSON.stringify('c look {"at":"it"}')}`,
  ],
  [
    "no mark of an error",
    read(2, result("c", false, text("no such thing"), image("BBBB"))),
    String.raw`turn 3 (tool) differs in its results: "c false no such thing\n\nBBBB" in place of "c true no such thing\n\nBBBB"`,
  ],
  [
    "another text of a result",
    read(2, result("c", true, text("a thing"), image("BBBB"))),
    String.raw`turn 3 (tool) differs in its results: "c true a thing\n\nBBBB" in place of "c true no such thing\n\nBBBB"`,
  ],
  [
    "no picture in a result",
    read(2, result("c", true, text("no such thing"))),
    String.raw`turn 3 (tool) differs in its results: "c true no such thing" in place of "c true no such thing\n\nBBBB"`,
  ],
  [
    "a result of another call",
    read(2, ...(RESULT ?? []).map((one) => ({ ...one, toolCallId: "d" }) as Block)),
    String.raw`turn 3 (tool) differs in its results: "d true no such thing\n\nBBBB" in place of "c true no such thing\n\nBBBB"`,
  ],
  ["an empty conversation", [], 'turn 1 (user) is missing: "What is there?"'],
  ["one turn less", WRITTEN.slice(0, 3), 'turn 4 (assistant) is missing: "Nothing."'],
  ["one turn more", [...WRITTEN, said("user", text("And?"))], 'turn 5 (user) was added: "And?"'],
  ["one more picture", [...WRITTEN, said("user", image("CCCC"))], "turn 5 (user) was added"],
  [
    "a turn of another speaker",
    [...WRITTEN.slice(0, 3), said("user", text("And?"))],
    'turn 4 is of the user: "And?", in place of the assistant: "Nothing."',
  ],
])("%s is a difference", (_name, messages, difference) => {
  expect(differenceBetween(WRITTEN, messages)).toBe(difference);
});

const aside = (words: string): Message => ({ ...said("user", text(words)), origin: "injected" });
const [ASK, REPLY] = [said("user", text("a")), said("assistant", text("b"))];

test.each<readonly [string, readonly Message[], readonly Message[]]>([
  ["a message that its agent inserts", [ASK, REPLY], [aside("x"), ASK, REPLY]],
  ["a prompt that looks like a message that its agent inserts", [ASK, REPLY], [aside("a"), REPLY]],
  [
    "such a prompt, and the same message that its agent inserts before it",
    [REPLY, ASK],
    [aside("a"), REPLY, aside("a")],
  ],
  ["such a prompt, which its agent repeats", [ASK, REPLY], [aside("a"), aside("a"), REPLY]],
  ["a prompt, and the same words of its agent", [ASK, REPLY], [ASK, aside("a"), REPLY]],
  ["one such prompt of two", [ASK, REPLY, ASK], [ASK, REPLY, aside("a")]],
  [
    "two messages as one",
    [said("assistant", text("a")), said("assistant", text("b"))],
    [said("assistant", text("a"), text("b"))],
  ],
  [
    "results in another order",
    [said("tool", result("c", false)), said("tool", result("d", false))],
    [said("tool", result("d", false)), said("tool", result("c", false))],
  ],
  [
    "calls with the name of their tool in front of their ids",
    [said("assistant", call("c", "look", "it")), said("tool", result("c", false))],
    [said("assistant", call("look__c", "look", "it")), said("tool", result("look__c", false))],
  ],
  [
    "empty texts and empty thinking left out",
    [said("assistant", text(""), { type: "thinking", text: "" }, text("a"))],
    [said("assistant", text("a"))],
  ],
])("a session reads the same with %s", (_name, written, messages) => {
  expect(differenceFromSaid(written, messages)).toBeNull();
});

test.each<readonly [string, readonly Message[], readonly Message[], string]>([
  ["a system message", [ASK], [ASK, { ...REPLY, role: "system" }, said("user", text("c"))], '"c" was added'],
  [
    "a text that was written twice and read once",
    [ASK, said("user", text("a"))],
    [aside("a")],
    '"a" is missing',
  ],
])("%s gives a difference from the written session", (_name, written, messages, how) => {
  expect(differenceFromSaid(written, messages)).toBe(`turn 1 (user) differs in its texts: ${how}`);
});

test("an answer that the agent reads as an error counts as missing", () => {
  const read: readonly Message[] = [{ ...REPLY, origin: "error" }];
  expect(differenceFromSaid([REPLY], read)).toBe('turn 1 (assistant) is missing: "b"');
});

test("a difference is quoted from a few characters before it, and cut", () => {
  const [one, other] = [`${"x".repeat(500)}1${"y".repeat(500)}`, `${"x".repeat(500)}2${"y".repeat(500)}`];
  const around = (middle: string): string => `…"${"x".repeat(20)}${middle}${"y".repeat(59)}"…`;
  expect(differenceBetween([said("user", text(one))], [said("user", text(other))])).toBe(
    `turn 1 (user) differs in its texts: ${around("2")} in place of ${around("1")}`,
  );
});

test.each<readonly [string, readonly Message[], readonly Message[], ReturnType<typeof compareViews>]>([
  ["the same", [ASK, aside("x"), REPLY], [ASK, aside("x"), REPLY], { outcome: "same" }],
  [
    "another aside",
    [ASK, aside("x"), REPLY],
    [ASK, aside("y"), REPLY],
    { outcome: "asides", difference: 'turn 1 (user) differs in its texts: "y" in place of "x"' },
  ],
  [
    "an aside between two answers, which the agent leaves out",
    [ASK, REPLY, aside("x"), REPLY],
    [ASK, REPLY, REPLY],
    { outcome: "asides", difference: 'turn 2 (assistant) differs in its texts: "b" was added' },
  ],
  [
    "an aside that the agent reads as the person's words",
    [ASK, aside("x"), REPLY],
    [ASK, said("user", text("x")), REPLY],
    { outcome: "same" },
  ],
  [
    "another aside, and another answer",
    [ASK, aside("x"), REPLY],
    [ASK, aside("y"), said("assistant", text("c"))],
    { outcome: "differs", difference: 'turn 2 (assistant) differs in its texts: "c" in place of "b"' },
  ],
])("two views with %s are compared", (_name, written, messages, comparison) => {
  expect(compareViews(written, messages)).toEqual(comparison);
});

test.each<readonly [Message["role"], Message["origin"], boolean]>([
  ["user", undefined, true],
  ["user", "person", true],
  ["assistant", "agent", true],
  ["user", "summary", true],
  ["tool", undefined, true],
  ["system", undefined, false],
  ["user", "injected", false],
  ["assistant", "notification", false],
  ["assistant", "error", false],
])("a message of %s with the origin %s is part of the conversation: %s", (role, origin, is) => {
  expect(isConversation({ ...said(role), ...(origin === undefined ? {} : { origin }) })).toBe(is);
});

const LONG = "so ".repeat(30);

test.each<readonly [string, Message, Message, boolean]>([
  ["the same words", ASK, aside("a"), true],
  ["other words", ASK, aside("b"), false],
  ["the words of a message of conversation", ASK, ASK, false],
  ["the words of another role", REPLY, aside("b"), false],
  ["the same long words", said("user", text(LONG)), aside(LONG), true],
  ["other long words", said("user", text(`${LONG}1`)), aside(`${LONG}2`), false],
  [
    "long words that end with half of another character",
    said("user", text(`${LONG}\ud83d`)),
    aside(`${LONG}\ud83e`),
    false,
  ],
  ["the same words and an empty text", said("user", text("a"), text("")), aside("a"), true],
  ["one text in place of two", said("user", text("a"), text("b")), aside("ab"), false],
  ["a picture in place of its data as words", said("user", image("a")), aside("a"), false],
])("a written message is left out next to a message of the agent with %s: %s", (_name, one, other, isOut) => {
  expect(withoutAside([one, REPLY], [other])).toEqual(isOut ? [REPLY] : [one, REPLY]);
});

const FILE = { type: "file", mimeType: "text/plain" } as const;
const IMAGE = { type: "image", mimeType: "image/png" } as const;

test.each<readonly [string, Block, ReturnType<typeof comparedPart>]>([
  ["a text", text("a"), { kind: "texts", words: "a" }],
  ["an empty text", text(""), null],
  ["a thought", { type: "thinking", text: "a", signature: "s" }, { kind: "thinking", words: "a" }],
  ["a hidden thought", { type: "thinking", text: "", signature: "s" }, null],
  ["a call", call("look__ab__cd", "look", "it"), { kind: "calls", words: 'cd look {"at":"it"}' }],
  ["an image", { ...IMAGE, data: "A", url: "u" }, { kind: "images", words: "A" }],
  ["an image at an address", { ...IMAGE, url: "u" }, { kind: "images", words: "u" }],
  ["an image without data and address", IMAGE, { kind: "images", words: "" }],
  ["a file", { ...FILE, data: "A", url: "u", text: "t" }, { kind: "files", words: "A" }],
  ["a file at an address", { ...FILE, url: "u", text: "t" }, { kind: "files", words: "u" }],
  ["a file that is text", { ...FILE, text: "t" }, { kind: "files", words: "t" }],
  ["a file without data and address", FILE, { kind: "files", words: "" }],
  ["an unknown block", { type: "unknown", raw: 1 }, { kind: "files", words: "unknown" }],
  [
    "a result",
    result(
      "look__c",
      true,
      text("a"),
      text(""),
      image("A"),
      { ...IMAGE, url: "u" },
      { ...FILE, data: "B" },
      FILE,
      {
        type: "unknown",
        raw: 1,
      },
    ),
    { kind: "results", words: "c true a\n\nA\n\nu\n\nB\n\nunknown" },
  ],
])("%s is compared by its kind and its words", (_name, block, part) => {
  expect(comparedPart(block)).toEqual(part);
});

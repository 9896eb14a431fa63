/** Verification finds every difference in what is said: each kind of block, and each mark of a result. */

import { expect, test } from "vitest";
import type { Block, Message } from "../../model/index.ts";
import { differenceBetween } from "./same.ts";

const said = (role: Message["role"], ...content: readonly Block[]): Message => ({
  ...{ id: "m", role, content, metadata: {} },
});
const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string, name: string, at: string): Block => ({ type: "tool_call", id, name, args: { at } });
const image = (data: string): Block => ({ type: "image", mimeType: "image/png", data });
const result = (id: string, isError: boolean, ...content: readonly Block[]): Block => ({
  ...{ type: "tool_result", toolCallId: id, isError, content },
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

test("what was written reads the same", () => {
  expect(differenceBetween(WRITTEN, WRITTEN)).toBeNull();
});

test.each<readonly [string, readonly Message[], string]>([
  ["another text", read(3, text("Something.")), "turn 4 (assistant) differs in its texts"],
  ["a text in two pieces", read(3, text("Noth"), text("ing.")), "turn 4 (assistant) differs in its texts"],
  [
    "another picture",
    read(0, ...(PROMPT ?? []).with(1, image("CCCC"))),
    "turn 1 (user) differs in its images",
  ],
  ["no file", read(0, ...(PROMPT ?? []).slice(0, 2)), "turn 1 (user) differs in its files"],
  ["no thinking", read(1, ...(ANSWER ?? []).slice(1)), "turn 2 (assistant) differs in its thinking"],
  [
    "another input",
    read(1, ...(ANSWER ?? []).with(2, call("c", "look", "that"))),
    "turn 2 (assistant) differs in its calls",
  ],
  [
    "another tool",
    read(1, ...(ANSWER ?? []).with(2, call("c", "see", "it"))),
    "turn 2 (assistant) differs in its calls",
  ],
  [
    "no mark of an error",
    read(2, result("c", false, text("no such thing"), image("BBBB"))),
    "turn 3 (tool) differs in its results",
  ],
  [
    "another text of a result",
    read(2, result("c", true, text("a thing"), image("BBBB"))),
    "turn 3 (tool) differs in its results",
  ],
  [
    "no picture in a result",
    read(2, result("c", true, text("no such thing"))),
    "turn 3 (tool) differs in its results",
  ],
  [
    "a result of another call",
    read(2, ...(RESULT ?? []).map((one) => ({ ...one, toolCallId: "d" }) as Block)),
    "turn 3 (tool) differs in its results",
  ],
  ["one turn less", WRITTEN.slice(0, 3), "it holds 3 turns of 4"],
  ["one turn more", [...WRITTEN, said("user", text("And?"))], "it holds 1 more turns than Continuo wrote"],
])("%s is a difference", (_name, messages, difference) => {
  expect(differenceBetween(WRITTEN, messages)).toBe(difference);
});

import { expect, test } from "vitest";
import type { Block, Message } from "../../model/index.ts";
import { turnTitle } from "./title.ts";

const PNG = { type: "image", mimeType: "image/png", data: "aGk=" } as const;

function message(content: readonly Block[], more: Partial<Message> = {}): Message {
  return { id: "m", role: "assistant", content, metadata: {}, ...more };
}

function text(value: string): Block {
  return { type: "text", text: value };
}

test.each<[string, readonly Block[], string | null]>([
  ["the first text", [{ type: "thinking", text: "x" }, text("a"), text("b")], "a"],
  ["the label of the first image", [PNG, text("a")], "[image png, 2 B]"],
  ["the words on one line", [text(" a \n\n\u200b b\u200f\tc\u202b ")], "a b c"],
  ["spelled out if a character would reverse its direction", [text("\u202egnp.exe")], "<U+202E>gnp.exe"],
  ["joined if only a zero-width character is between the words", [text("a\u200b\u2060b")], "ab"],
  ["missing for a text of white space", [text(" \n\u200b")], null],
  ["missing for a message without text", [{ type: "thinking", text: "x" }], null],
  ["whole up to 80 characters", [text("😀".repeat(80))], "😀".repeat(80)],
  ["cut after 79 characters", [text("😀".repeat(81))], `${"😀".repeat(79)}…`],
  ["made of the first 1000 units", [text(`${" ".repeat(999)}ab`)], "a"],
])("the title of a turn is %s", (_, content, title) => {
  expect(turnTitle(message(content, { role: "user" }))).toBe(title);
});

test("only what a person says has a title", () => {
  expect(turnTitle(message([text("a")]))).toBeNull();
  expect(turnTitle(message([text("a")], { role: "user", origin: "injected" }))).toBeNull();
});

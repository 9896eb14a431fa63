import { expect, test } from "vitest";
import { CHAT_LIST_LIMITS, type ChatFrame, type ChatMessage, type UIPart } from "../../wire/index.ts";
import { EMPTY_LIST, foldFrame, type MessageList } from "./message-list.ts";

const said = (id: string, ...parts: readonly UIPart[]): ChatMessage => ({ id, role: "assistant", parts });
const text = (words: string): UIPart => ({ type: "text", text: words });

const listAfter = (...frames: readonly ChatFrame[]): MessageList => frames.reduce(foldFrame, EMPTY_LIST);

function frameOf(message: ChatMessage, isOpen = false): ChatFrame {
  return { type: "message", message, isOpen };
}

test("a message that comes again replaces the earlier one, at the end of the list", () => {
  const { messages } = listAfter(
    frameOf(said("a", text("one"))),
    frameOf(said("b", text("two"))),
    frameOf(said("a", text("three"))),
  );
  expect(messages.map((one) => [one.id, one.text])).toEqual([
    ["b", "two"],
    ["a", "three"],
  ]);
});

test("the text of a message has none of its thoughts, and only questions without an answer are asked", () => {
  const call = { type: "tool-refund", approval: { id: "p1" }, input: 7 };
  const thought = { type: "reasoning", text: "the person is angry" };
  const asked = { ...call, state: "approval-requested" };
  const [before] = listAfter(frameOf(said("a", thought, text("Sure."), asked))).messages;
  expect([before?.text, before?.questions.length]).toEqual(["Sure.", 1]);
  const answered = { ...call, state: "approval-responded" };
  const [after] = listAfter(frameOf(said("a", thought, text("Sure."), answered))).messages;
  expect(after?.questions).toEqual([]);
});

test("a change replaces the parts from its place, and a waiting answer is shown as waiting", () => {
  const begun = said("a", text("one"), text("two"), text("three"));
  const change: ChatFrame = { type: "change", id: "a", length: 1, delta: "!" };
  const { messages } = listAfter(
    { type: "chat", messages: [begun, said("b")], open: ["a", "b"], waiting: ["b"] },
    change,
  );
  expect(messages.map((one) => [one.text, one.status])).toEqual([
    ["one!", "open"],
    ["", "waiting"],
  ]);
});

test("a list has the newest messages, each with the status of its end", () => {
  const many = Array.from({ length: CHAT_LIST_LIMITS.mostMessages + 1 }, (_, n) => said(`a${n}`));
  const failed = { ...said("last"), metadata: { status: "failed" as const } };
  const { messages } = listAfter({ type: "chat", messages: [...many, failed], open: [] });
  expect([messages.length, messages[0]?.id]).toEqual([CHAT_LIST_LIMITS.mostMessages, "a2"]);
  expect(messages.at(-1)).toMatchObject({ id: "last", status: "failed" });
});

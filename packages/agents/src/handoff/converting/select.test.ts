import type { Block, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { selectMessages } from "./select.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const thinking = (words: string): Block => ({ type: "thinking", text: words });
const unknown: Block = { type: "unknown", raw: 1 };

function said(
  id: string,
  role: Message["role"],
  content: readonly Block[],
  more: Partial<Message> = {},
): Message {
  return { id, role, content, metadata: { records: [{ row: id }] }, ...more };
}

const asked = said("asked", "user", [text("why?")]);
const answer = said("answer", "assistant", [thinking("hm"), text("so")], { origin: "agent" });
const thought = (id: string): Message => said(id, "assistant", [thinking(id)], { origin: "agent" });

/** The ids of the messages that go over, and the lines of what is left out. */
function selected(history: readonly Message[], view: readonly Message[] = history) {
  const { messages, left } = selectMessages(history, view);
  return {
    ids: messages.map(({ id }) => id),
    left: left.map(({ place, kind, outcome, reason }) => `${place} ${kind} ${outcome}: ${reason}`),
  };
}

const GONE = "noted: no longer in what the agent sends to its model";

test("what the agent sends goes over as it was recorded", () => {
  const view = [asked, { ...answer, content: answer.content.slice(1) }];
  expect(selectMessages([asked, answer], view)).toEqual({ messages: [asked, answer], left: [] });
});

test("what the agent no longer sends is left out, with a line for each of its blocks", () => {
  const picture: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
  const old = said("old", "user", [text("once"), picture]);
  expect(selected([old, asked, answer], [asked, answer])).toEqual({
    ids: ["asked", "answer"],
    left: [`old text ${GONE}`, `old image ${GONE}`],
  });
});

test("if the agent sends nothing of a session, everything is dropped", () => {
  expect(selected([asked], [])).toEqual({ ids: [], left: ["asked text dropped: not for the model"] });
});

test.each<readonly [string, Partial<Message>, string]>([
  ["a system message", { role: "system" }, "other noted: each agent creates it again"],
  ["what a program put in", { origin: "injected" }, "other noted: each agent creates it again"],
  ["a notice", { origin: "notification" }, "other noted: shown to the person, not sent to the model"],
  ["an error", { origin: "error" }, "other noted: an error in place of an answer"],
  ["what a person said", { origin: "person" }, `text ${GONE}`],
])("%s that is left out has its reason on the receipt", (_name, more, line) => {
  const aside = said("aside", "user", [text("a")], more);
  expect(selected([aside, asked], [asked])).toEqual({ ids: ["asked"], left: [`aside ${line}`] });
});

test("a system message does not go over, although the agent sends it", () => {
  const system = said("system", "system", [text("be brief")]);
  expect(selected([system, asked])).toEqual({
    ids: ["asked"],
    left: ["system other noted: each agent creates it again"],
  });
});

test("an empty message has a line, even if the agent does not send it", () => {
  const empty = said("empty", "assistant", [], { origin: "agent" });
  const line = "empty other noted: an empty message";
  expect(selected([asked, empty])).toEqual({ ids: ["asked", "empty"], left: [line] });
  expect(selected([asked, empty], [asked])).toEqual({ ids: ["asked"], left: [line] });
});

test.each<readonly [string, Message, Message, boolean]>([
  ["with another text", asked, { ...asked, content: [text("what?")] }, true],
  ["with its text and another one", asked, { ...asked, content: [text("why?"), text("now")] }, false],
  ["by another role", asked, { ...asked, role: "assistant" }, true],
  [
    "without a text of white space",
    { ...asked, content: [text("why?"), text(" \n")] },
    { ...asked, content: [text("why?")] },
    false,
  ],
  [
    "as words in place of an unknown block",
    { ...asked, content: [text("why?"), unknown] },
    { ...asked, content: [text("why?"), text("by the rule")] },
    true,
  ],
  [
    "without words in place of an unknown block",
    { ...asked, content: [thinking("a"), unknown] },
    { ...asked, content: [thinking("a"), unknown] },
    false,
  ],
  ["as thinking with the words of its text", asked, { ...asked, content: [thinking("why?")] }, true],
])("a message that the agent sends %s", (_name, own, seen, isSeen) => {
  const { messages, left } = selectMessages([own], [seen]);
  expect(messages).toEqual([isSeen ? seen : own]);
  expect(left).toEqual([]);
});

test("a thought that the agent keeps and does not send is handed over at its place", () => {
  const history = [asked, thought("first"), thought("second"), answer, thought("third")];
  expect(selected(history, [asked, answer])).toEqual({
    ids: ["asked", "first", "second", "answer", "third"],
    left: [],
  });
});

test("a thought before the first message that the agent sends is not handed over", () => {
  expect(selected([thought("old"), asked, answer], [asked, answer])).toEqual({
    ids: ["asked", "answer"],
    left: [`old thinking ${GONE}`],
  });
});

test("thoughts are handed over even if the agent sends no message of the session", () => {
  const made = said("summary", "user", [text("they talked")], { origin: "summary" });
  expect(selected([thought("first"), thought("second")], [made])).toEqual({
    ids: ["summary", "first", "second"],
    left: [],
  });
});

test.each<readonly [string, Message]>([
  ["with words", said("other", "assistant", [thinking("a"), text("b")], { origin: "agent" })],
  ["of the user", said("other", "user", [thinking("a")], { origin: "agent" })],
  ["of nobody that is known", said("other", "assistant", [thinking("a")])],
])("a thought %s that the agent does not send is not handed over", (_name, other) => {
  expect(selected([asked, other], [asked]).ids).toEqual(["asked"]);
});

test.each<readonly [string, Message, boolean]>([
  ["a summary", said("new", "user", [text("they talked")], { origin: "summary" }), true],
  ["a message of an id that only begins like one", said("asked2", "user", [text("a")]), true],
  ["a part of a message", said("asked/0", "user", [text("a")]), false],
  ["the media of a message", said("asked#media", "user", [text("a")]), false],
  ["a part of a message on two lines", said("asked/a\nb", "user", [text("a")]), false],
  ["other than the media of a message", said("asked#media2", "user", [text("a")]), true],
  ["a part of a message that is not there", said("none/0", "user", [text("a")]), true],
  ["a result", said("new", "tool", [text("a")]), false],
  [
    "what its agent marked as made",
    said("new", "user", [text("a")], { metadata: { gemini: { made: "answer" } } }),
    false,
  ],
  [
    "what its agent marked in another way",
    said("new", "user", [text("a")], { metadata: { gemini: { other: 1 }, n: 1 } }),
    true,
  ],
])("of what no record holds, %s", (_name, made, isTaken) => {
  expect(selected([asked], [asked, made])).toEqual({
    ids: isTaken ? ["asked", made.id] : ["asked"],
    left: [],
  });
});

test("if the agent divides a message, its further parts are handed over with the message, once", () => {
  const call = (id: string): Block => ({ type: "tool_call", id, name: "look", args: {} });
  const calls = said("calls", "assistant", [call("one"), call("two")]);
  const part: Message = { ...calls, id: "calls.1", metadata: { codex: { partOf: "calls" } } };
  const aborted = said("aborted", "tool", [
    { type: "tool_result", toolCallId: "one", content: [text("aborted")], isError: true },
  ]);
  const view = [asked, { ...calls, content: [call("one")] }, aborted, { ...part, content: [call("two")] }];
  expect(selectMessages([asked, calls], view)).toEqual({ messages: [asked, calls], left: [] });
  // If a compaction contains the message, the history does not have the whole message.
  expect(selected([asked], view).ids).toEqual(["asked", "calls", "calls.1"]);
});

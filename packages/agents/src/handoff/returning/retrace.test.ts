/** Finds the messages of one session from which another one is made. */

import type { Block, Message, Role } from "@continuo/core/model";
import { expect, test } from "vitest";
import { convertMessages } from "../converting/index.ts";
import { retrace } from "./retrace.ts";

function said(id: string, role: Role, ...content: Block[]): Message {
  return { id, role, content, metadata: {} };
}

const text = (words: string): Block => ({ type: "text", text: words });
const sealed: Block = { type: "thinking", text: "", redacted: true, data: "sealed", signedBy: "anthropic" };
const call: Block = { type: "tool_call", id: "call.1", name: "look", args: { at: "it" } };
const result: Block = {
  type: "tool_result",
  toolCallId: "call.1",
  content: [text("a thing")],
  isError: false,
};

const ORIGINALS: readonly Message[] = [
  said("1", "user", text("Go on.")),
  said("2", "assistant", text("Yes.")),
  said("3", "user", text("Go on.")),
  said("4", "assistant", sealed),
  said("5", "assistant", text("I look."), call),
  said("6", "tool", result),
  said("7", "user", text("Go on.")),
  said("8", "assistant", text("Done.")),
];

/** The same messages in the form in which Codex has them. */
const COPY = convertMessages(ORIGINALS, "codex").messages.map(
  ({ role, content }, at): Message => ({ id: `c${at}`, role, content, metadata: {} }),
);

const summary = said("s", "user", text("What was said before."));
const added = [said("a", "user", text("Go on.")), said("b", "assistant", text("More."))];

const cases: readonly [string, readonly Message[], readonly (readonly string[] | null)[]][] = [
  ["all of it", COPY, [["1"], ["2"], ["3"], ["4", "5"], ["6"], ["7"], ["8"]]],
  ["later messages are not matched", [...COPY.slice(-2), ...added], [["7"], ["8"], null, null]],
  ["the end of it", COPY.slice(3), [["4", "5"], ["6"], ["7"], ["8"]]],
  ["the beginning of it", COPY.slice(0, 2), [["1"], ["2"]]],
  ["behind a summary", [summary, ...COPY.slice(5), ...added], [null, ["7"], ["8"], null, null]],
  ["a call without its result is matched by itself", COPY.slice(2, 4), [["3"], ["4", "5"]]],
  [
    "a changed message is not matched",
    COPY.map((one) => (one.id === "c1" ? said("c1", "assistant", text("No.")) : one)),
    [["1"], null, ["3"], ["4", "5"], ["6"], ["7"], ["8"]],
  ],
  [
    "a part of a message is not matched",
    COPY.map((one) => (one.id === "c3" ? { ...one, content: one.content.slice(1) } : one)),
    [["1"], ["2"], ["3"], null, ["6"], ["7"], ["8"]],
  ],
];

test.each(cases)("%s", (_name, copy, expected) => {
  const found = retrace(copy, ORIGINALS, "codex");
  expect(found.map((messages) => messages?.map(({ id }) => id) ?? null)).toEqual(expected);
});

import type { Block, Message, ThinkingBlock } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { ReceiptRecord } from "./receipt.ts";
import { type HistoryWithView, type Thought, withUnsentThoughts, wordsOfThought } from "./thoughts.ts";

const thinking = (text: string, more: object = {}): ThinkingBlock => ({ type: "thinking", text, ...more });
const text = (words: string): Block => ({ type: "text", text: words });

function said(content: readonly Block[], role: Message["role"] = "assistant"): Message {
  return { id: "m", role, content, metadata: {} };
}

function thoughtOf(words: string): Thought {
  const record: ReceiptRecord = { place: words, kind: "thinking", outcome: "kept", reason: "" };
  return { record, words: wordsOfThought(thinking(words)) };
}

/** The places of the thoughts that are noted. */
function unsentOf(thoughts: readonly Thought[], now: HistoryWithView): string[] {
  const records = thoughts.map(({ record }) => record);
  const told = withUnsentThoughts(records, thoughts, now);
  const noted = told.filter(({ outcome }) => outcome === "noted");
  for (const { reason } of noted) {
    expect(reason).toBe("kept in the session; the target does not send it to its model");
  }
  expect(told.filter(({ outcome }) => outcome !== "noted")).toEqual(
    records.filter(({ place }) => !noted.some((line) => line.place === place)),
  );
  return noted.map(({ place }) => place);
}

const sending = (view: readonly Message[], history: readonly Message[] = view): HistoryWithView => ({
  history,
  view,
});
const LONG = "so ".repeat(30);

test.each<readonly [string, ThinkingBlock, ThinkingBlock]>([
  ["its signature", thinking("", { signature: "s", data: "d" }), thinking("", { signature: "s" })],
  ["its data, where it has no signature", thinking("", { data: "d" }), thinking("d")],
  ["nothing", thinking(""), thinking("", { signedBy: "openai" })],
])("a thought without words is recognised by %s", (_name, one, other) => {
  expect(wordsOfThought(one)).toBe(wordsOfThought(other));
});

test("a thought is recognised by its words, or by their hash if they are long", () => {
  expect(wordsOfThought(thinking("so", { signature: "s" }))).toBe("so");
  expect(wordsOfThought(thinking("x".repeat(64)))).toBe("x".repeat(64));
  expect(wordsOfThought(thinking("x".repeat(65)))).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  expect(wordsOfThought(thinking(LONG))).not.toBe(wordsOfThought(thinking(`${LONG}!`)));
  // Halves of different characters would be the same in UTF-8.
  expect(wordsOfThought(thinking(`${LONG}\ud83d`))).not.toBe(wordsOfThought(thinking(`${LONG}\ud83e`)));
});

test("a thought that the target does not send is noted, and one that it sends is kept", () => {
  const now = sending(
    [said([thinking("a"), text("yes")])],
    [said([thinking("a"), thinking("b"), text("yes")])],
  );
  expect(unsentOf([thoughtOf("a"), thoughtOf("b")], now)).toEqual(["b"]);
});

test("of two equal thoughts, of which one is sent, the second one is noted", () => {
  const both = [
    thoughtOf("a"),
    { ...thoughtOf("a"), record: { ...thoughtOf("a").record, place: "a again" } },
  ];
  expect(unsentOf(both, sending([said([thinking("a")])]))).toEqual(["a again"]);
  expect(unsentOf(both, sending([said([thinking("a"), thinking("a")])]))).toEqual([]);
});

test("a text that is sent instead of a thought counts for one of two equal thoughts", () => {
  const history = [said([thinking("a"), thinking("a")])];
  const again = { ...thoughtOf("a"), record: { ...thoughtOf("a").record, place: "a again" } };
  expect(unsentOf([thoughtOf("a"), again], sending([said([text("a")])], history))).toEqual(["a again"]);
});

test("a text that is no longer sent does not count against a thought with the same words", () => {
  const now = sending([said([thinking("a")])], [said([thinking("a"), text("a")])]);
  expect(unsentOf([thoughtOf("a")], now)).toEqual([]);
});

test("a thought without words is found by its seal, next to blocks of other kinds", () => {
  const sealed = thinking("", { signature: "s" });
  const call: Block = { type: "tool_call", id: "c", name: "look", args: {} };
  expect(unsentOf([thoughtOf("s")], sending([said([call, sealed])]))).toEqual([]);
});

test.each<readonly [string, HistoryWithView, readonly string[]]>([
  ["sent in place of it", sending([said([text("a")])], [said([thinking("a")])]), []],
  ["that the session holds too", sending([said([text("a")])], [said([thinking("a"), text("a")])]), ["a"]],
  [
    "sent next to the one that the session holds",
    sending([said([text("a"), text("a")])], [said([thinking("a"), text("a")])]),
    [],
  ],
  ["of the user", sending([said([text("a")], "user")], [said([thinking("a")])]), ["a"]],
  ["of no thought of the session", sending([said([text("a")])], []), ["a"]],
])("a text with the words of a thought, %s", (_name, now, unsent) => {
  expect(unsentOf([thoughtOf("a")], now)).toEqual(unsent);
});

test("texts and thinking with the same words are counted together", () => {
  const history = [said([thinking("a"), thinking("a")])];
  const now = sending([said([thinking("a"), text("a")])], history);
  const again = { ...thoughtOf("a"), record: { ...thoughtOf("a").record, place: "a again" } };
  const third = { ...thoughtOf("a"), record: { ...thoughtOf("a").record, place: "a third" } };
  expect(unsentOf([thoughtOf("a"), again, third], now)).toEqual(["a third"]);
});

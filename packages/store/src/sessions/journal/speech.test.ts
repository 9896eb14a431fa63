import type { Block } from "@continuo/core/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalEntry } from "./entry.ts";
import { LIMITS } from "./limits.ts";
import {
  closeMessage,
  closeOthers,
  createSpeech,
  journalPart,
  messageOfCall,
  type Speech,
  sayPart,
  sayWhole,
} from "./speech.ts";

const IMAGE: Block = { type: "image", mimeType: "image/png", url: "https://example.test/a.png" };

function say(speech: Speech, delta: string, messageId = "m", type: "text" | "thinking" = "text") {
  return sayPart(speech, { type, delta, messageId });
}

function whole(speech: Speech, content: readonly Block[], messageId?: string) {
  return sayWhole(speech, { type: "message", content, ...(messageId === undefined ? {} : { messageId }) });
}

function text(value: string): Block {
  return { type: "text", text: value };
}

function received(messageId: string, content: readonly Block[]): JournalEntry {
  return { type: "message_received", data: { content, messageId } };
}

function streamed(messageId: string, delta: string, kind = "text"): JournalEntry {
  return { type: "message_streamed", data: { delta, messageId, kind } };
}

test("parts are collected, and their message is stored as a whole when it ends", () => {
  const speech = createSpeech();
  expect([...say(speech, "to "), ...say(speech, "be")]).toEqual([]);
  expect(journalPart(speech)).toEqual([streamed("m", "to be")]);
  expect(journalPart(speech)).toEqual([]);
  expect(say(speech, "!")).toEqual([]);
  expect(closeMessage(speech)).toEqual([streamed("m", "!"), received("m", [text("to be!")])]);
  expect(closeMessage(speech)).toEqual([]);
});

test("parts that are long enough are an event at once", () => {
  const long = "x".repeat(LIMITS.streamChars);
  expect(say(createSpeech(), long.slice(1))).toEqual([]);
  expect(say(createSpeech(), long)).toEqual([streamed("m", long)]);
});

test("thinking and text are parts of their own, in one message", () => {
  const speech = createSpeech();
  expect(say(speech, "hm", "m", "thinking")).toEqual([]);
  expect(say(speech, "yes")).toEqual([streamed("m", "hm", "thinking")]);
  expect(closeMessage(speech)).toEqual([
    streamed("m", "yes"),
    received("m", [{ type: "thinking", text: "hm" }, text("yes")]),
  ]);
});

test("another message, in parts or whole, ends the one that is being said", () => {
  for (const next of [say, (speech: Speech) => whole(speech, [text("other")], "n")] as const) {
    const speech = createSpeech();
    say(speech, "one");
    expect(next(speech, "other", "n").slice(0, 2)).toEqual([
      streamed("m", "one"),
      received("m", [text("one")]),
    ]);
  }
});

test("a whole message replaces its parts, and keeps the thinking that it does not repeat", () => {
  const speech = createSpeech();
  say(speech, "hm", "m", "thinking");
  say(speech, "ye");
  expect(whole(speech, [text("yes"), IMAGE], "m")).toEqual([
    streamed("m", "ye"),
    received("m", [{ type: "thinking", text: "hm" }, text("yes"), IMAGE]),
  ]);
  expect(closeMessage(speech)).toEqual([]);
});

test("a whole message of white space does not replace the streamed text", () => {
  const speech = createSpeech();
  say(speech, "yes");
  expect(whole(speech, [text(" ")], "m")).toEqual([
    streamed("m", "yes"),
    received("m", [text("yes"), text(" ")]),
  ]);
});

test("a long message is cut into several, and its end does not repeat their texts", () => {
  const speech = createSpeech();
  const long = "x".repeat(LIMITS.messageChars + 10);
  const entries = [...say(speech, long), ...whole(speech, [text(long), IMAGE], "m")];
  const stored = entries.filter(({ type }) => type === "message_received").map(({ data }) => data);
  expect(stored).toEqual([
    { messageId: "m", content: [text(long.slice(0, LIMITS.messageChars))] },
    { messageId: "m:2", content: [text("x".repeat(10)), IMAGE] },
  ]);
});

test("a message is never cut between the halves of a surrogate pair", () => {
  const speech = createSpeech();
  const stored = [...say(speech, `${"x".repeat(LIMITS.messageChars - 1)}😀y`), ...closeMessage(speech)];
  const texts = stored.filter(({ type }) => type === "message_received").map(({ data }) => data);
  expect(texts).toEqual([
    { messageId: "m", content: [text("x".repeat(LIMITS.messageChars - 1))] },
    { messageId: "m:2", content: [text("😀y")] },
  ]);
});

test("whatever its parts are, the texts of a message come back complete, and its events in order", () => {
  const parts = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.constantFrom("text", "thinking")));
  fc.assert(
    fc.property(parts, fc.boolean(), (said, isWhole) => {
      const speech = createSpeech();
      const entries = said.flatMap(([delta, type]) => say(speech, delta, "m", type as "text" | "thinking"));
      // Both ends store the last part.
      const end = isWhole ? whole(speech, [], "m") : closeMessage(speech);
      const events = [...entries, ...end];
      const joined = said.map(([delta]) => delta).join("");
      const deltas = events
        .filter(({ type }) => type === "message_streamed")
        .map(({ data }) => data as object);
      expect(deltas.map((data) => (data as { delta: string }).delta).join("")).toBe(joined);
      const blocks = events.flatMap(({ type, data }) =>
        type === "message_received" ? (data as { content: { text: string }[] }).content : [],
      );
      expect(blocks.map((block) => block.text).join("")).toBe(joined);
    }),
  );
});

test("a message of calls only ends without texts", () => {
  const speech = createSpeech();
  expect(messageOfCall(speech, "m")).toBe("m");
  expect(closeMessage(speech)).toEqual([{ type: "message_completed", data: { messageId: "m" } }]);
});

test("a call joins its message, whether that is open or complete", () => {
  const speech = createSpeech();
  say(speech, "one");
  expect(messageOfCall(speech, "m")).toBe("m");
  closeMessage(speech);
  expect(messageOfCall(speech, "m")).toBe("m");
  expect(speech.open).toBeNull();
  expect(messageOfCall(speech, undefined)).toBeUndefined();
  // That message was cut into two, and nobody knows which one the call is for.
  say(speech, "two");
  closeMessage(speech);
  expect(messageOfCall(speech, "m")).toBe("m:3");
});

test("messages without an id get different ids", () => {
  const speech = createSpeech();
  const first = [...sayPart(speech, { type: "text", delta: "one" }), ...closeMessage(speech)];
  expect(first.at(-1)).toEqual(received("said-1", [text("one")]));
  expect(whole(speech, [text("two")])).toEqual([received("said-2", [text("two")])]);
});

test("a message of the same id stays open, and another one is completed", () => {
  const speech = createSpeech();
  say(speech, "one");
  expect(closeOthers(speech, "m")).toEqual([streamed("m", "one")]);
  say(speech, " two");
  expect(closeOthers(speech, "n")).toEqual([streamed("m", " two"), received("m", [text("one two")])]);
  say(speech, "three", "k");
  expect(closeOthers(speech)).toHaveLength(2);
});

test("only the newest names of messages are remembered", () => {
  const speech = createSpeech();
  for (let n = 0; n <= LIMITS.rememberedIds; n++) whole(speech, [], `m${n}`);
  expect(speech.closed.size).toBe(LIMITS.rememberedIds);
  expect([speech.closed.has("m0"), speech.closed.has("m1")]).toEqual([false, true]);
  whole(speech, [], "m1");
  whole(speech, [], "new");
  expect([speech.closed.has("m1"), speech.closed.has("m2")]).toEqual([true, false]);
});

test.each([
  [undefined, []],
  [null, []],
  ["yes", [text("yes")]],
  [7, [{ type: "unknown", raw: 7 }]],
  [
    [{ type: "text" }, { type: 7 }, null, IMAGE],
    [
      { type: "unknown", raw: { type: "text" } },
      { type: "unknown", raw: { type: 7 } },
      { type: "unknown", raw: null },
      IMAGE,
    ],
  ],
])("what an agent in plain JavaScript gives as content, %j, is kept", (given, kept) => {
  const entries = whole(createSpeech(), given as unknown as readonly Block[], "m");
  expect(entries).toEqual([received("m", kept as readonly Block[])]);
});

test("a part that is not a text is refused", () => {
  expect(() => say(createSpeech(), 7 as unknown as string)).toThrow(
    expect.objectContaining({ code: "invalid", message: "a part of a message must be a text" }),
  );
});

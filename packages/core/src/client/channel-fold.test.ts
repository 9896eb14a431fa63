import { expect, test } from "vitest";
import type { ChannelMessage } from "../wire/index.ts";
import { type Channel, EMPTY_CHANNEL, foldEvent, foldWindow, MOST_LOADED } from "./channel-fold.ts";
import type { ClientEvent } from "./events.ts";

const AT = "2026-01-01T10:00:00.000Z";

function said(sequence: number, more: Partial<ChannelMessage> = {}): ChannelMessage {
  const id = `m${sequence}`;
  return {
    messageId: id,
    sequence,
    handle: "ann",
    kind: "person",
    content: id,
    timestamp: AT,
    state: "complete",
    ...more,
  };
}

function event(type: ClientEvent["type"], sequence: number, more: object = {}): ClientEvent {
  return { type, sequence, from: "ann", timestamp: AT, to: [], ...more } as unknown as ClientEvent;
}

const window = (messages: readonly ChannelMessage[], sequence: number, hasOlder = false): Channel =>
  foldWindow(EMPTY_CHANNEL, { messages, sequence, hasOlder }, "instead");

const ids = ({ messages }: Channel): readonly string[] => messages.map(({ messageId }) => messageId);

test("a message in progress grows by each delta only once, even if the window already had the delta", () => {
  const begun = window([said(1), said(2, { state: "open", content: "ab" })], 4);
  const delta = (sequence: number, text: string) =>
    event("update", sequence, { messageId: "m2", delta: text });
  const events = [
    // The connection begins before the message, so the content of the window arrives again.
    event("message", 2, { messageId: "m2", state: "open", content: "" }),
    ...[delta(3, "a"), delta(4, "b"), delta(5, "c"), delta(5, "c"), delta(6, "d")],
  ];
  const grown = events.reduce(foldEvent, begun);
  expect(grown.open.get("m2")?.text).toBe("abcd");
  // The messages are the same object: only the text is drawn again.
  expect(grown.messages).toBe(begun.messages);
  const done = foldEvent(grown, event("complete", 7, { messageId: "m2", content: "abcd!" }));
  expect(done.messages[1]).toMatchObject({ content: "abcd!", state: "complete", sequence: 2 });
  expect(done.open.size).toBe(0);
  expect(foldEvent(done, delta(8, "late"))).toBe(done);
});

test("a message whose writer disappeared keeps the text so far, and is interrupted", () => {
  const open = window([said(1, { state: "open", content: "half" })], 1);
  const lost = foldEvent(
    open,
    event("error", 2, { messageId: "m1", code: "interrupted", content: "half a" }),
  );
  expect(lost.messages).toMatchObject([{ content: "half a", state: "interrupted" }]);
});

test("older windows come before the loaded part, each message once, and the loaded part stays bounded", () => {
  const newest = window([said(5), said(6)], 6, true);
  const both = foldWindow(
    newest,
    { messages: [said(3), said(4), said(5)], sequence: 5, hasOlder: false },
    "older",
  );
  expect([ids(both), both.hasOlder]).toEqual([["m3", "m4", "m5", "m6"], false]);
  const many = Array.from({ length: MOST_LOADED }, (_, n) => said(n + 1));
  const full = foldWindow(
    window([said(5_000)], 5_000, true),
    { messages: many, sequence: 0, hasOlder: false },
    "older",
  );
  expect([full.messages.length, full.hasNewer]).toEqual([MOST_LOADED, true]);
  // After a gap nothing is added; at the end, the oldest message makes room.
  const next = event("message", 5_001, { messageId: "new", state: "complete", content: "new" });
  expect(foldEvent(full, next)).toBe(full);
  const rolled = foldEvent(window(many, 1_000), event("message", 5_001, { messageId: "new", content: "" }));
  expect([rolled.messages.length, rolled.messages[0]?.messageId, rolled.hasOlder]).toEqual([
    MOST_LOADED,
    "m2",
    true,
  ]);
});

test("a message that arrives twice is shown once, and the server's own lines are shown beside the messages", () => {
  const message = event("message", 3, { messageId: "x", state: "complete", content: "x" });
  const notice = event("error", 4, {
    id: "n4",
    messageId: undefined,
    code: "busy",
    message: "a person has to speak",
  });
  const channel = [message, message, notice, notice].reduce(foldEvent, window([said(1)], 1));
  expect(ids(channel)).toEqual(["m1", "x"]);
  expect(channel.notices).toEqual([{ id: "n4", sequence: 4, timestamp: AT, text: "a person has to speak" }]);
});

test("a window of older messages leaves the text of a message in progress as it is", () => {
  const begun = window([said(5), said(6, { state: "open", content: "a" })], 6, true);
  const grown = foldEvent(begun, event("update", 7, { messageId: "m6", delta: "b" }));
  const older = [said(4), said(6, { state: "open", content: "a" })];
  const both = foldWindow(grown, { messages: older, sequence: 6, hasOlder: false }, "older");
  expect([ids(both), both.open.get("m6")?.text]).toEqual([["m4", "m5", "m6"], "ab"]);
  const next = foldEvent(both, event("update", 8, { messageId: "m6", delta: "c" }));
  expect(next.open.get("m6")?.text).toBe("abc");
});

test("a writer replaces the text of a message in progress, and it keeps that text if the writer disappears", () => {
  const begun = window([said(1, { state: "open", content: "ab" })], 1);
  const replaced = foldEvent(begun, event("update", 2, { messageId: "m1", content: "xy" }));
  expect(replaced.open.get("m1")?.text).toBe("xy");
  const lost = foldEvent(replaced, event("error", 3, { messageId: "m1", code: "interrupted" }));
  expect(lost.messages).toMatchObject([{ content: "xy", state: "interrupted" }]);
});

test("a message is inserted at its place, and not before older messages that are not loaded", () => {
  const late = event("message", 3, { messageId: "late", state: "complete", content: "late", to: ["bob"] });
  const all = foldEvent(window([said(1), said(5)], 5), late);
  expect(ids(all)).toEqual(["m1", "late", "m5"]);
  expect(all.messages[1]).toMatchObject({ to: ["bob"] });
  const part = window([said(4), said(5)], 5, true);
  expect(foldEvent(part, late)).toBe(part);
});

test("of many lines of the channel itself the newest stay", () => {
  const lines = Array.from({ length: 60 }, (_, n) =>
    event("error", n + 1, { id: `n${n + 1}`, messageId: undefined, message: "stop" }),
  );
  const { notices } = lines.reduce(foldEvent, EMPTY_CHANNEL);
  expect([notices.length, notices.at(-1)?.sequence]).toEqual([50, 60]);
});

import { expect, test } from "vitest";
import type { WireEvent } from "../wire/index.ts";
import { type ClientEvent, type Reader, toClientEvent, toPresenceEvent } from "./events.ts";

const READER: Reader = { handle: "me", processed: 2, received: 4 };

interface GivenEvent {
  readonly type: string;
  readonly data: object;
  readonly from?: string;
  readonly sequence?: number;
  readonly pruned?: string;
}

function made(
  { from = "ann", sequence = 5, ...rest }: GivenEvent,
  known: ReadonlyMap<string, string> = new Map(),
) {
  const actor = from === "server" ? { kind: "system" } : { kind: "agent", id: from };
  return toClientEvent({ id: "e", sequence, actor, ...rest } as unknown as WireEvent, READER, known);
}

const KNOWN: ReadonlyMap<string, string> = new Map([["m", "ann"]]);

test("only its writer changes a message, and only the server interrupts it", () => {
  const part: GivenEvent = { type: "message_streamed", data: { messageId: "m", delta: "x" } };
  expect(made(part, KNOWN)).toMatchObject({ type: "update", delta: "x", content: undefined });
  expect(made({ ...part, from: "bob" }, KNOWN)).toBe(null);
  const end: GivenEvent = { type: "message_completed", data: { messageId: "m", content: "all" } };
  expect(made(end, KNOWN)).toMatchObject({ type: "complete", messageId: "m", content: "all" });
  expect(made({ ...end, from: "bob" }, KNOWN)).toBe(null);
  const interrupted: GivenEvent = {
    type: "message_interrupted",
    data: { messageId: "m", content: "so far", handle: "ann", reason: "gone" },
  };
  expect(made({ ...interrupted, from: "ann" }, KNOWN)).toBe(null);
  expect(made({ ...interrupted, from: "server" }, KNOWN)).toMatchObject({
    type: "error",
    code: "interrupted",
    message: "gone",
    messageId: "m",
    content: "so far",
  });
});

test("a reader that did not see the beginning of a message gets the whole message at its end", () => {
  expect(made({ type: "message_streamed", data: { messageId: "m", delta: "x" } })).toBe(null);
  expect(made({ type: "message_completed", data: { messageId: "m", content: "all" } })).toMatchObject({
    type: "message",
    id: "m",
    state: "complete",
    content: "all",
    from: "ann",
  });
  const data = { messageId: "m", content: "so far", handle: "ann" };
  expect(made({ type: "message_interrupted", from: "server", data })).toMatchObject({
    type: "message",
    id: "m",
    state: "interrupted",
    content: "so far",
    from: "ann",
  });
});

test("a message to the reader that was received but not processed is marked as redelivered", () => {
  const redelivered = (sequence: number, content = "@me hello"): unknown =>
    (made({ type: "message_sent", data: { content }, sequence }) as ClientEvent).redelivered;
  expect([2, 3, 4, 5].map((sequence) => redelivered(sequence))).toEqual([false, true, true, false]);
  expect(redelivered(3, "hello")).toBe(false);
});

test("an event says who wrote it, and whether that was the reader", () => {
  const sent = (from: string): unknown => made({ type: "message_sent", data: { content: "@me" }, from });
  expect(sent("me")).toMatchObject({ from: "me", own: true, addressed: false });
  expect(sent("ann")).toMatchObject({ from: "ann", own: false, addressed: true });
  const to = { callId: "c", to: "me", method: "look", args: [1] };
  expect(made({ type: "method_called", data: to })).toMatchObject({ type: "method_call", addressed: true });
  expect(made({ type: "method_called", data: {}, pruned: "2026-01-01T00:00:00.000Z" })).toBe(null);
  expect(made({ type: "of_another_version", data: {} })).toBe(null);
});

test("a text that its writer replaced arrives as a whole, and a part without words is no event", () => {
  const replaced: GivenEvent = { type: "message_updated", data: { messageId: "m", content: "anew" } };
  expect(made(replaced, KNOWN)).toMatchObject({ type: "update", delta: undefined, content: "anew" });
  for (const type of ["message_streamed", "message_updated"])
    expect(made({ type, data: { messageId: "m" }, pruned: "2026-01-01T00:00:00.000Z" }, KNOWN)).toBe(null);
});

test("a deletion by somebody else names the author of the message, its sequence, and the reason", () => {
  const data = { messageId: "m", handle: "ann", messageSequence: 3, reason: "off topic" };
  expect(made({ type: "message_deleted", from: "moderator", data })).toMatchObject({
    type: "deleted",
    from: "moderator",
    author: "ann",
    messageId: "m",
    messageSequence: 3,
    reason: "off topic",
  });
});

test("a message names its addressees, the message that it replies to, and its attachments, even if it was sent in parts", () => {
  const head = {
    to: ["me"],
    replyTo: "q",
    attachments: [{ blob: "b", name: "a.txt", mediaType: "text/plain" }],
  };
  expect(made({ type: "message_sent", data: { content: "x", ...head } })).toMatchObject(head);
  const end = { type: "message_completed", data: { messageId: "m", content: "x", ...head } };
  expect(made(end, KNOWN)).toMatchObject({ type: "complete", ...head });
});

test("a result of a method is the last one only if it says so", () => {
  const result = (data: object): unknown =>
    (made({ type: "method_answered", data: { callId: "c", value: 1, ...data } }) as { done: boolean }).done;
  expect([result({}), result({ done: false }), result({ done: true })]).toEqual([false, false, true]);
});

test("a reader without a handle wrote nothing, not even what the server wrote", () => {
  const event = { id: "e", sequence: 5, actor: { kind: "system" }, type: "error_raised", data: {} };
  const reader = { ...READER, handle: null };
  expect(toClientEvent(event as unknown as WireEvent, reader, new Map())).toMatchObject({
    from: null,
    own: false,
  });
});

test("the presence of a participant is its own event only for its own handle", () => {
  const own = (handle: string): boolean =>
    toPresenceEvent("joined", { handle, name: handle, type: "person", capabilities: [] }, READER).own;
  expect([own("me"), own("ann")]).toEqual([true, false]);
});

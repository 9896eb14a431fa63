import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { EMPTY_STATE, foldChannel, openMessagesOf, stateFromSnapshot } from "./state.ts";

let sequence = 0;

function event(type: string, data: object, actor: string | null = "ann"): StoredEvent {
  sequence += 1;
  const by = actor === null ? { kind: "system" } : { kind: "person", id: actor };
  return { id: `m${sequence}`, sequence, type, actor: by, data } as unknown as StoredEvent;
}

const BEGUN = foldChannel(EMPTY_STATE, event("message_sent", { content: "so", state: "open", writer: "w" }));

test("only its writer and the server can end a message in progress", () => {
  const data = { messageId: "m1", content: "so far" };
  for (const [type, actor] of [
    ["message_completed", "bob"],
    ["message_deleted", "bob"],
    ["message_deleted", "ann"],
    ["message_interrupted", "ann"],
  ] as const) {
    expect(Object.keys(foldChannel(BEGUN, event(type, data, actor)).open)).toEqual(["m1"]);
  }
  expect(foldChannel(BEGUN, event("message_completed", data)).open).toEqual({});
  expect(foldChannel(BEGUN, event("message_interrupted", data, null)).open).toEqual({});
});

test("a message in progress has all of its text, and the name of a method is not the id of a message", () => {
  const more = foldChannel(BEGUN, event("message_streamed", { messageId: "m1", delta: " far" }));
  expect(more.open.m1).toMatchObject({ text: "so far", writer: "w", handle: "ann" });
  expect(foldChannel(more, event("message_streamed", { messageId: "toString", delta: "x" })).open).toEqual(
    more.open,
  );
});

test("a snapshot is used only if every message in it is whole", () => {
  const { open } = BEGUN;
  expect(stateFromSnapshot({ open }, 7)).toEqual({ sequence: 7, open });
  for (const damaged of [null, {}, { open: 3 }, { open: { m1: { ...open.m1, text: null } } }]) {
    expect(stateFromSnapshot(damaged, 7)).toBeNull();
  }
});

test("the messages in progress of a participant are not those of one whose handle begins alike", () => {
  expect([openMessagesOf(BEGUN, "ann").length, openMessagesOf(BEGUN, "an").length]).toEqual([1, 0]);
});

import { expect, test } from "vitest";
import type { WireEvent } from "./channel-events.ts";
import {
  type ChangeableMessage,
  changedMessage,
  type MessageChange,
  toMessageChange,
} from "./message-change.ts";

const SENT: ChangeableMessage = { handle: "ann", content: "hello", state: "complete" };

function edit(content: string, from: string = "ann"): MessageChange {
  return { type: "edited", from, timestamp: "2026-01-01T00:00:00.000Z", content };
}

function react(from: string, change: "added" | "removed" = "added"): MessageChange {
  return { type: "reaction", from, change, reaction: "👍" };
}

function after(message: ChangeableMessage, ...changes: readonly MessageChange[]): ChangeableMessage {
  return changes.reduce(changedMessage<ChangeableMessage>, message);
}

test("only the author's edit counts, says when it was made, and leaves no block of the text before", () => {
  const blocks = [{ type: "text", text: "hello" }] as const;
  expect(after({ ...SENT, blocks }, edit("no", "bob"))).toEqual({ ...SENT, blocks });
  expect(after({ ...SENT, blocks }, edit("bye"))).toEqual({
    ...SENT,
    content: "bye",
    editedAt: "2026-01-01T00:00:00.000Z",
  });
});

test("a message in progress is neither edited nor deleted", () => {
  const open: ChangeableMessage = { ...SENT, state: "open" };
  expect(after(open, edit("bye"), { type: "deleted" })).toEqual(open);
});

test("a deleted message has no text and no reaction, and stays so", () => {
  const deleted = after(SENT, react("bob"), { type: "deleted" });
  expect(deleted).toEqual({ handle: "ann", content: "", state: "deleted" });
  expect(after(deleted, edit("bye"), react("bob"))).toEqual(deleted);
});

test("a participant counts once for a reaction, which is gone with the last of them", () => {
  const two = after(SENT, react("ann"), react("bob"), react("bob"));
  expect(two.reactions).toEqual([{ reaction: "👍", handles: ["ann", "bob"] }]);
  expect(after(two, react("ann", "removed")).reactions).toEqual([{ reaction: "👍", handles: ["bob"] }]);
  expect(after(two, react("ann", "removed"), react("bob", "removed"))).toEqual(SENT);
});

test("an event whose payload was removed changes nothing", () => {
  const event: Parameters<typeof toMessageChange>[0] = {
    occurredAt: "2026-01-01T00:00:00.000Z",
    type: "message_deleted",
    actor: { kind: "person", id: "ann" },
    data: { messageId: "m" },
  };
  expect(toMessageChange(event)).toEqual({ type: "deleted" });
  const pruned = { prunedAt: "2026-01-01T00:00:00.000Z", reason: "retention" } as unknown as NonNullable<
    WireEvent["pruned"]
  >;
  expect(toMessageChange({ ...event, pruned })).toBeNull();
});

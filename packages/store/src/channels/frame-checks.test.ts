/** A program without a connection appends to the log of a channel by the rules of frames. */

import type { NewEvent } from "@continuo/core/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { checkPosted } from "./frame-checks.ts";
import { openChannel } from "./participants.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
});
afterEach(async () => await store.close());

const SAID: NewEvent = { type: "message_sent", data: { content: "hello" } };

test("an attachment is kept with the message that has it, once", async () => {
  const [one, two] = ["a".repeat(64), "b".repeat(64)];
  const attachments = [one, two, one].map((blob) => ({ blob, name: "plan.png", mimeType: "image/png" }));
  const [checked] = await checkPosted(store, "team", [
    { ...SAID, blobs: [two], data: { content: "see", attachments } },
  ]);
  expect(checked?.blobs?.toSorted()).toEqual([one, two]);
});

test.each([
  ["message_edited", { messageId: "m", content: "other words" }],
  ["message_deleted", { messageId: "m" }],
  ["reaction_added", { messageId: "m", reaction: "+1" }],
  ["message_streamed", { messageId: "m", delta: "x" }],
])("an event of the type %s is refused, and the refusal names its place", async (type, data) => {
  await expect(checkPosted(store, "team", [SAID, { type, data }])).rejects.toMatchObject({
    code: "forbidden",
    details: { type, index: 1 },
  });
});

test.each<[string, NewEvent]>([
  ["whose data names another id", { id: "a", type: "message_sent", data: { messageId: "b", content: "x" } }],
  ["without text", { type: "message_sent", data: { content: 7 } }],
  ["of a call without a method", { type: "method_called", data: { to: "bob", args: {} } }],
])("an event %s is invalid", async (_, event) => {
  await expect(checkPosted(store, "team", [event])).rejects.toMatchObject({ code: "invalid" });
});

test("an event of a type that no frame makes is stored as it is, also under a name that every object has", async () => {
  const events = ["of_a_program", "toString"].map((type) => ({ type, data: { own: true } }));
  expect(await checkPosted(store, "team", events)).toEqual(events);
});

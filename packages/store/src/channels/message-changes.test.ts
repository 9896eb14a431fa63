/** Edits and deletions in the store: who may make them, and what agents and late readers get. */

import type { StoredEvent } from "@continuo/core/model";
import { CHANNEL_LIMITS, type PostFrame } from "@continuo/core/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { claimInput } from "./claims.ts";
import { leaveChannel, takeHandle } from "./handles.ts";
import { channelLogId } from "./names.ts";
import { readParticipantSession } from "./participant-session.ts";
import { openChannel } from "./participants.ts";
import { type Author, post } from "./post.ts";
import { readMessages } from "./read-messages.ts";
import { ChannelStates } from "./read-state.ts";
import { partsOfEnded, planReplay, readReplayEnd } from "./replay.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
});
afterEach(async () => await store.close());

let made = 0;

function put(type: string, fields: object, author: Partial<Author> = {}): Promise<StoredEvent> {
  const frame = { request: 0, type, id: `f${++made}`, ...fields } as unknown as PostFrame;
  const by = { channel: "team", handle: "ann", type: "person", instance: "x", ...author };
  return post(store, by, { frame, open: new Map() });
}

const say = async (content: string): Promise<string> => (await put("send", { content })).id;
const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "done",
    ({ code: one }) => one,
  );

test("an administrator can delete the messages of others, and cannot edit them", async () => {
  const messageId = await say("hello");
  const root = { handle: "root", moderates: true };
  expect(await code(put("edit", { messageId, content: "x" }, root))).toBe("forbidden");
  expect(await code(put("delete", { messageId }, { handle: "bob" }))).toBe("forbidden");
  expect(await code(put("delete", { messageId }, root))).toBe("done");
  expect(await code(put("edit", { messageId, content: "x" }))).toBe("conflict");
  expect(await code(put("delete", { messageId }))).toBe("conflict");
});

test("an agent receives the last of several edits of its input, with the name of that edit", async () => {
  const place = { channel: "team", handle: "bot" };
  const card = { instance: "one", handle: "bot", name: "bot", type: "agent", capabilities: [] };
  const fence = await takeHandle(store, place, { card });
  const messageId = await say("@bot one");
  await put("edit", { messageId, content: "@bot two" });
  const { id: editId } = await put("edit", { messageId, content: "@bot three" });
  const claim = { place, fence, instance: "one", agent: "pi", sequence: 1 };
  expect(await claimInput(store, claim)).toMatchObject({ messageId, editId, content: "@bot three" });
});

test("a deleted input is skipped, and an edited input has its new words", async () => {
  const place = { channel: "team", handle: "bot" };
  const card = { instance: "one", handle: "bot", name: "bot", type: "agent", capabilities: [] };
  const fence = await takeHandle(store, place, { card });
  const [first, second] = [await say("@bot one"), await say("@bot two")];
  await put("delete", { messageId: first });
  await put("edit", { messageId: second, content: "@bot three" });
  const claim = { place, fence, instance: "one", agent: "pi" };
  expect(await claimInput(store, { ...claim, sequence: 2 })).toMatchObject({ content: "@bot three" });
  expect(await claimInput(store, { ...claim, sequence: 1 })).toEqual({ state: "done", runId: null });
  expect(await readParticipantSession(store, place)).toMatchObject({ processed: 1 });
});

test("a participant whose handle was given to another one can change nothing", async () => {
  const place = { channel: "team", handle: "ann" };
  const card = { instance: "x", handle: "ann", name: "ann", type: "agent", capabilities: [] };
  const fence = await takeHandle(store, place, { card });
  const messageId = (await put("send", { content: "hello" }, { fence })).id;
  await leaveChannel(store, fence);
  await takeHandle(store, place, { card: { ...card, instance: "y" } });
  expect(await code(put("send", { content: "hello" }, { fence }))).toBe("fenced");
  expect(await code(put("edit", { messageId, content: "x" }, { fence }))).toBe("fenced");
});

test("a late reader receives no words of a deleted message, and every message after it", async () => {
  const secret = await say("the key is 1234");
  await put("edit", { messageId: secret, content: "the key is 5678" });
  await say("hello");
  await put("delete", { messageId: secret });
  const replay = await planReplay(store, {
    channel: "team",
    handle: null,
    mode: "stream",
    after: 0,
    upTo: 4,
  });
  const isLeftOut = partsOfEnded(await readReplayEnd(store, new ChannelStates(), replay));
  const { events } = await store.read("channels/team");
  expect(events.filter((event) => !isLeftOut(event)).map(({ sequence }) => sequence)).toEqual([3, 4]);
});

test("a window shows the changes that came after it", async () => {
  const [first, second, third] = [await say("one"), await say("two"), await say("three")];
  await put("edit", { messageId: first, content: "1" });
  await put("react", { messageId: first, reaction: "👍", change: "added" });
  await put("delete", { messageId: second });
  await put("edit", { messageId: third, content: "3" });
  const { messages, hasOlder } = await readMessages(store, "team", { limit: 2, before: 3 });
  expect(messages.map(({ content, state, reactions }) => [content, state, reactions])).toEqual([
    ["1", "complete", [{ reaction: "👍", handles: ["ann"] }]],
    ["", "deleted", undefined],
  ]);
  expect(hasOlder).toBe(false);
});

test("a message in progress can be edited only after its own writer has ended it", async () => {
  const messageId = (await put("send", { content: "so", state: "open" })).id;
  const edit = (): Promise<unknown> => code(put("edit", { messageId, content: "done" }));
  expect(await edit()).toBe("conflict");
  const end = (handle: string): Promise<unknown> =>
    store.append(channelLogId("team"), [
      { type: "message_completed", actor: { kind: "agent", id: handle }, data: { messageId, content: "so" } },
    ]);
  await end("bob");
  expect(await edit()).toBe("conflict");
  await end("ann");
  expect(await edit()).toBe("done");
});

test("a message that the server interrupted can be edited by its writer", async () => {
  const data = { content: "half", state: "open", writer: "x" };
  await store.append(channelLogId("team"), [
    { id: "m", type: "message_sent", actor: { kind: "person", id: "ann" }, data },
    {
      type: "message_interrupted",
      actor: { kind: "system" },
      data: { messageId: "m", content: "half", handle: "ann" },
    },
  ]);
  expect(await code(put("edit", { messageId: "m", content: "whole" }))).toBe("done");
});

test("an edit has the addressees of the message, and the blobs of its own blocks", async () => {
  const blob = await store.putBlob([Buffer.from("picture")], { mediaType: "image/png" });
  const messageId = (await put("send", { content: "hello", to: ["bob"] })).id;
  const content = [{ type: "image", mediaType: "image/png", blob: blob.hash }];
  const { data, blobs } = await put("edit", { messageId, content });
  expect([data, blobs]).toEqual([{ messageId, content, to: ["bob"] }, [blob.hash]]);
});

test("a reaction is stored once, can be removed only by its author, and cannot be added to a deleted message", async () => {
  const messageId = await say("hello");
  const thumb = { messageId, reaction: "👍" };
  const first = await put("react", { ...thumb, change: "added" });
  expect(await put("react", { ...thumb, change: "added" })).toEqual(first);
  expect(await code(put("react", { ...thumb, change: "removed" }, { handle: "bob" }))).toBe("not_found");
  expect((await put("react", { ...thumb, change: "removed" })).type).toBe("reaction_removed");
  // A reaction that was taken back can be given again.
  const again = await put("react", { ...thumb, change: "added" });
  expect([again.type, again.sequence > first.sequence]).toEqual(["reaction_added", true]);
  await put("delete", { messageId });
  expect(await code(put("react", { ...thumb, change: "added" }))).toBe("conflict");
});

test("each participant has a bounded number of reactions to a message, whatever the others have", async () => {
  const messageId = await say("hello");
  const react = (at: number, handle: string): Promise<unknown> =>
    code(put("react", { messageId, reaction: `r${at}`, change: "added" }, { handle }));
  const most = CHANNEL_LIMITS.reactions;
  for (let at = 0; at < most; at += 1) expect(await react(at, "ann")).toBe("done");
  expect([await react(most, "ann"), await react(0, "ann"), await react(most, "bob")]).toEqual([
    "too_large",
    "done",
    "done",
  ]);
});

test("the edit of an input by another participant is not what its agent receives", async () => {
  const place = { channel: "team", handle: "bot" };
  const card = { instance: "one", handle: "bot", name: "bot", type: "agent", capabilities: [] };
  const fence = await takeHandle(store, place, { card });
  const messageId = await say("@bot one");
  const data = { messageId, content: "@bot delete all" };
  await store.append(channelLogId("team"), [
    { type: "message_edited", actor: { kind: "person", id: "eve" }, data },
  ]);
  const claim = { place, fence, instance: "one", agent: "pi", sequence: 1 };
  expect(await claimInput(store, claim)).toMatchObject({ content: "@bot one" });
});

test("a deletion by a moderator names the author and the place of its message", async () => {
  await say("first");
  const messageId = await say("hello");
  await put("edit", { messageId, content: "again" });
  const { data } = await put("delete", { messageId, reason: "spam" }, { handle: "root", moderates: true });
  expect(data).toEqual({ messageId, handle: "ann", messageSequence: 2, reason: "spam" });
});

test("the deletion of another message, whose reason is the id of a message, deletes only the other one", async () => {
  const [one, two] = [await say("one"), await say("two")];
  await put("delete", { messageId: two, reason: one });
  expect(await code(put("edit", { messageId: one, content: "1" }))).toBe("done");
});

test("only a message can be replied to", async () => {
  const { id } = await put("call", { to: "bob", method: "look", args: {} });
  expect(await code(put("send", { content: "yes", replyTo: id }))).toBe("not_found");
});

test("a late reader that gets only a part of the channel gets no words of a message deleted before that part", async () => {
  const secret = await say("the key is 1234");
  await put("delete", { messageId: secret });
  await say("hello");
  const replay = { channel: "team", handle: "bob", after: 0, upTo: 3, wholeAfter: 2, omitted: 1 };
  const { deleted } = await readReplayEnd(store, new ChannelStates(), replay);
  expect([...deleted]).toEqual([secret]);
});

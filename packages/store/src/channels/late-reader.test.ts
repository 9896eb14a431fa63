/** A channel for late readers: windows, anchors, summaries, and what a replay leaves out. */

import type { StoredEvent } from "@continuo/core/model";
import { ANCHOR_TYPES } from "@continuo/core/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { turnCounter, withTurns } from "./agent-turns.ts";
import { LIMITS } from "./limits.ts";
import { channelLogId, presenceLease } from "./names.ts";
import { openChannel, ownerOf } from "./participants.ts";
import { lastAnchor, readMessages } from "./read-messages.ts";
import { ChannelStates, readState } from "./read-state.ts";
import { addressedEvents, partsOfEnded, planReplay } from "./replay.ts";
import { EMPTY_STATE, foldChannel, openMessagesOf } from "./state.ts";
import { summaryOf } from "./summary.ts";

const LOG = channelLogId("team");
let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
});
afterEach(async () => await store.close());

async function add(type: string, id: string, data: object = {}, from = "ann"): Promise<void> {
  await store.append(LOG, [{ id, type, actor: { kind: "agent", id: from }, data }]);
}

async function say(id: string, more: object = {}, from = "ann"): Promise<void> {
  await add("message_sent", id, { messageId: id, content: id, ...more }, from);
}

async function window(limit: number, before?: number): Promise<unknown> {
  const { messages, hasOlder } = await readMessages(
    store,
    "team",
    before === undefined ? { limit } : { limit, before },
  );
  return [messages.map(({ messageId, content, state }) => `${messageId} ${content} ${state}`), hasOlder];
}

async function writeInParts(): Promise<void> {
  await say("m", { content: "a", state: "open" });
  await add("message_streamed", "1", { messageId: "m", delta: "b" });
  await add("message_streamed", "2", { messageId: "m", delta: "forged" }, "bob");
  await add("message_streamed", "3", { messageId: "m", delta: "c" });
}

test("a window has each message once with its whole text, changed only by its writer, and says whether there are older ones", async () => {
  await say("first");
  await writeInParts();
  expect(await window(9)).toEqual([["first first complete", "m abc open"], false]);
  expect(await window(1)).toEqual([["m abc open"], true]);
  await add("message_completed", "end", { messageId: "m", content: "whole" });
  expect(await window(1)).toEqual([["m whole complete"], true]);
  expect(await window(9, 2)).toEqual([["first first complete"], false]);
});

test("a window has the newest messages that fit, each with its addressees", async () => {
  const long = "x".repeat(LIMITS.windowLength / 2 - 10);
  for (const id of ["a", "b", "c"]) await say(id, { content: long, to: [`to ${id}`] });
  const { messages, hasOlder } = await readMessages(store, "team", { limit: 9 });
  expect(messages.map(({ messageId, to }) => [messageId, to])).toEqual([
    ["b", ["to b"]],
    ["c", ["to c"]],
  ]);
  expect(hasOlder).toBe(true);
});

test("only the writer of a message changes it or ends it, and its text grows", async () => {
  await writeInParts();
  const { open, sequence } = await readState(store, "team");
  expect([Object.keys(open), open.m?.text, sequence]).toEqual([["m"], "abc", 4]);
  await add("message_completed", "forged", { messageId: "m", content: "x" }, "bob");
  const after = await readState(store, "team");
  expect(openMessagesOf(after, "ann").map(({ text }) => text)).toEqual(["abc"]);
  expect(openMessagesOf(after, "bob")).toEqual([]);
  const event = {
    type: "message_completed",
    sequence: 9,
    actor: { kind: "agent", id: "ann" },
    data: { messageId: "m" },
  };
  expect(foldChannel(after, event as unknown as StoredEvent)).toEqual({ sequence: 9, open: {} });
});

test("a caller during another reading gets every event that was stored before its call", async () => {
  const states = new ChannelStates();
  await say("m", { state: "open" });
  const first = states.read(store, "team");
  await say("n", { state: "open" });
  const second = await states.read(store, "team");
  expect([Object.keys(second.open), (await first).sequence <= second.sequence]).toEqual([["m", "n"], true]);
});

test("the newest anchor is found however far back it lies", async () => {
  expect(await lastAnchor(store, LOG)).toBe(0);
  const [type = ""] = ANCHOR_TYPES;
  await store.append(LOG, [{ id: "anchor", type, data: {} }]);
  const many = Array.from({ length: LIMITS.stretchEvents + 5 }, (_, n) => n);
  const data = { messageId: "none", delta: "x" };
  const actor = { kind: "agent", id: "ann" } as const;
  await store.append(
    LOG,
    many.map((n) => ({ id: `m${n}`, type: "message_streamed", actor, data })),
  );
  expect(await lastAnchor(store, LOG)).toBe(1);
});

test("a summary has the newest message, and counts people and agents separately", async () => {
  await say("first");
  await say("newest");
  for (const [handle, type] of [
    ["ann", "person"],
    ["bob", "person"],
    ["bot", "agent"],
  ] as const) {
    const owner = ownerOf({ instance: handle, handle, name: handle, type, capabilities: [] });
    await store.acquireLease(presenceLease({ channel: "team", handle }), { owner, ttlMs: 10_000 });
  }
  const row = { channel: "team", latestSequence: await store.latestSequence(LOG) };
  expect(await summaryOf(store, row)).toMatchObject({
    newest: { messageId: "newest" },
    people: 2,
    agents: 1,
  });
});

test("a summary has the state and the beginning of a message in parts, and searches only a bounded part of the log for one", async () => {
  const summary = async () =>
    (await summaryOf(store, { channel: "team", latestSequence: await store.latestSequence(LOG) })).newest;
  const actor = { kind: "agent", id: "ann" } as const;
  await say("old");
  await say("open", { state: "open", content: "a" });
  const delta = { type: "message_streamed", actor, data: { messageId: "open", delta: "b" } };
  await store.append(LOG, [{ id: "d1", ...delta }]);
  expect(await summary()).toMatchObject({ messageId: "open", content: "ab", state: "open" });
  const end = { messageId: "open", content: "abc" };
  await store.append(LOG, [{ id: "end", type: "message_completed", actor, data: end }]);
  expect(await summary()).toMatchObject({ messageId: "open", content: "abc", state: "complete" });
  for (let n = 0; n < LIMITS.summaryEvents; n += 5_000) {
    await store.append(
      LOG,
      Array.from({ length: 5_000 }, (_, m) => ({ ...delta, id: `x${n + m}` })),
    );
  }
  expect(await summary()).toBe(null);
});

test("a reader that skips the past gets none of it, and a reader that collects gets the newest messages and the number of the others", async () => {
  for (let n = 1; n <= LIMITS.collectedMessages + 3; n++) await say(`m${n}`);
  const upTo = LIMITS.collectedMessages + 3;
  const asked = { channel: "team", handle: "me", after: 0, upTo };
  expect(await planReplay(store, { ...asked, mode: "skip" })).toMatchObject({ wholeAfter: upTo, omitted: 0 });
  expect(await planReplay(store, { ...asked, mode: "stream" })).toMatchObject({ wholeAfter: 0, omitted: 0 });
  expect(await planReplay(store, { ...asked, mode: "collect" })).toMatchObject({ wholeAfter: 3, omitted: 3 });
});

test("of the part that is left out, the reader gets only whole messages that are addressed to it", async () => {
  await say("other");
  await say("mine", { to: ["me"] });
  await say("open", { to: ["me"], state: "open", content: "" });
  await say("named", { content: "hello @me" });
  await say("named alike", { content: "me" });
  await add("message_completed", "end", { messageId: "open", content: "all", to: ["me"] });
  await add("message_edited", "edit", { messageId: "mine", content: "changed", to: ["me"] });
  const replay = { channel: "team", after: 0, handle: "me", upTo: 7, wholeAfter: 7, omitted: 0 };
  const ids = async (from: number): Promise<readonly string[]> =>
    (await Array.fromAsync(addressedEvents(store, replay, from))).map(({ id }) => id);
  expect(await ids(0)).toEqual(["mine", "named", "end", "edit"]);
  expect(await ids(2)).toEqual(["named", "end", "edit"]);
  expect(await Array.fromAsync(addressedEvents(store, { ...replay, handle: null }, 0))).toEqual([]);
});

test("parts of messages that ended in the replay are left out, and what comes after the replay is sent", () => {
  const isLeftOut = partsOfEnded({
    sequence: 5,
    open: new Set(["going on"]),
    knownAfter: 0,
    deleted: new Set(),
  });
  const part = (sequence: number, messageId: string): unknown =>
    isLeftOut({
      type: "message_streamed",
      sequence,
      id: `${sequence}`,
      data: { messageId },
    } as unknown as StoredEvent);
  expect([part(2, "ended"), part(3, "going on"), part(6, "ended")]).toEqual([true, false, false]);
  expect(EMPTY_STATE).toEqual({ sequence: 0, open: {} });
});

test("a late reader is sent calls of its methods, and messages keep what they reply to", async () => {
  await say("question");
  await say("answer", { replyTo: "question", replyToHandle: "ann" }, "bob");
  const { messages } = await readMessages(store, "team", { limit: 2 });
  expect(messages.map(({ replyTo }) => replyTo)).toEqual([undefined, "question"]);
  await add("method_called", "call", { callId: "call", to: "bot", method: "port", args: {} });
  const replay = { channel: "team", handle: "bot", after: 0, upTo: 3, wholeAfter: 3, omitted: 2 };
  const addressed = await Array.fromAsync(addressedEvents(store, replay, 0));
  expect(addressed.map(({ id }) => id)).toEqual(["call"]);
});

test("the count of agents' messages includes the counted one, also while it is written", async () => {
  await say("first", {}, "one");
  await say("whole", { to: ["bot"] }, "two");
  await say("begun", { to: ["bot"], state: "open" }, "one");
  const { events } = await store.read(LOG);
  const counted = await Promise.all(
    events.map((event) => withTurns(store, { channel: "team", handle: "bot" }, event)),
  );
  expect(counted.map(({ id, turns }) => [id, turns])).toEqual([
    ["first", undefined],
    ["whole", 2],
    ["begun", 3],
  ]);
});

test("of the part that is left out, every page is read for messages that are addressed to the reader", async () => {
  const actor = { kind: "agent", id: "ann" } as const;
  const all = Array.from({ length: LIMITS.replayPageEvents + 4 }, (_, n) => ({
    id: `m${n}`,
    type: "message_sent",
    actor,
    data: { content: "x", to: ["me"] },
  }));
  await store.append(LOG, all);
  const ends = { after: 0, upTo: all.length, wholeAfter: all.length, omitted: all.length };
  const sent = await Array.fromAsync(addressedEvents(store, { channel: "team", handle: "me", ...ends }, 0));
  expect(sent).toHaveLength(all.length);
});

test("a reader that collects is promised only messages up to the moment of its connection", async () => {
  const actor = { kind: "agent", id: "ann" } as const;
  const all = Array.from({ length: LIMITS.collectedMessages + 20 }, () => ({
    type: "message_sent",
    actor,
    data: { content: "x" },
  }));
  await store.append(LOG, all);
  const asked = { channel: "team", handle: "me", after: 0, mode: "collect" } as const;
  const plan = await planReplay(store, { ...asked, upTo: LIMITS.collectedMessages + 2 });
  expect(plan).toMatchObject({ wholeAfter: 2, omitted: 2 });
});

test("parts of a message are sent if nobody knows whether it is still in progress", () => {
  const end = { sequence: 9, open: new Set(["going on"]), knownAfter: 4, deleted: new Set<string>() };
  const isLeftOut = partsOfEnded(end);
  const at = (type: string, sequence: number, id: string, data: object): boolean =>
    isLeftOut({ type, sequence, id, data } as unknown as StoredEvent);
  expect(at("message_streamed", 5, "1", { messageId: "older" })).toBe(false);
  expect(at("message_sent", 6, "going on", { state: "open" })).toBe(false);
  expect(at("message_sent", 7, "ended", { state: "open" })).toBe(true);
  expect(at("message_streamed", 8, "2", { messageId: "ended" })).toBe(true);
});

test("a window has the lines of the channel only if it is asked for them, and says which event it read last", async () => {
  await say("first");
  await add("error_raised", "stop", { code: "too_many_runs", message: "agents stopped" });
  await writeInParts();
  const read = async (notices: boolean): Promise<readonly unknown[]> => {
    const { messages, sequence } = await readMessages(store, "team", { limit: 9, notices });
    return [messages.map(({ kind, content }) => `${kind} ${content}`), sequence];
  };
  expect(await read(false)).toEqual([["agent first", "agent abc"], 6]);
  expect(await read(true)).toEqual([["agent first", "system agents stopped", "agent abc"], 6]);
});

test("a message that is longer than a window is the only one in it", async () => {
  await say("short");
  await say("long", { content: "x".repeat(LIMITS.windowLength + 1) });
  const { messages, hasOlder } = await readMessages(store, "team", { limit: 9 });
  expect([messages.map(({ messageId }) => messageId), hasOlder]).toEqual([["long"], true]);
});

test("the count of agents' messages begins at 1 after a person's, for a reader that sees every event", async () => {
  await say("one", { to: ["bot"] });
  await store.append(LOG, [
    { id: "p", type: "message_sent", actor: { kind: "person", id: "cem" }, data: { content: "go on" } },
  ]);
  await say("two", { to: ["bot"] });
  const step = turnCounter(store, { channel: "team", handle: "bot" });
  const turns: unknown[] = [];
  for (const event of (await store.read(LOG)).events) turns.push((await step(event)).turns);
  expect(turns).toEqual([1, undefined, 1]);
});

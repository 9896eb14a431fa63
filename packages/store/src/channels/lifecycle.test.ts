/** A channel in memory, on a clock that only the test moves: who has a handle, and what remains of a writer that left. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { CHANNEL_LIMITS, type PostFrame } from "@continuo/core/wire";
import { ownerHere } from "@continuo/files";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import {
  awaitReturn,
  type Fence,
  isShared,
  mayHaveLeft,
  renewHandle,
  rivalOf,
  takeHandle,
} from "./handles.ts";
import { endConnection, sweepChannels } from "./interrupt.ts";
import { channelLogId, presenceLease, processLease } from "./names.ts";
import {
  clearHistory,
  commitProcessed,
  moveReceived,
  openParticipantSession,
  readHistory,
  readParticipantSession,
  setSdkSession,
  storeMessage,
} from "./participant-session.ts";
import { type Card, cardIn, openChannel, ownerOf, readRoster } from "./participants.ts";
import { hasEnded, type OpenMessages, openAfter, post } from "./post.ts";

const ANN = { channel: "team", handle: "ann" };
let nowMs = 0;
let store: OpenedStore;

beforeEach(async () => {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  store = await openStore("memory:", { workspaceId: "w", now: () => nowMs });
  await openChannel(store, "team");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
});

function card(instance: string, type = "person", more: Partial<Card> = {}): Card {
  return { instance, handle: "ann", name: "Ann", type, capabilities: [], ...more };
}

async function take(one: Card): Promise<Fence> {
  return await takeHandle(store, ANN, { card: one, signal: AbortSignal.timeout(400) });
}

async function say(
  instance: string,
  fence: Fence | undefined,
  more: object,
  handle = "ann",
): Promise<StoredEvent> {
  const frame = { request: 0, type: "send", id: instance, content: "half", ...more } as unknown as PostFrame;
  const author = { channel: "team", handle, type: "person", instance };
  return await post(store, fence === undefined ? author : { ...author, fence }, { frame, open: new Map() });
}

async function events(type: string): Promise<readonly unknown[]> {
  return (await store.read(channelLogId("team"), { types: [type] })).events.map(({ data }) => data);
}

const TAKEN = { code: "handle_taken" };

test("a person may connect several devices, and an agent and a person never share a handle", async () => {
  const first = await take(card("p1", "person", { capabilities: ["a"] }));
  expect(await isShared(store, ANN, first)).toBe(false);
  await take(card("p2", "person", { capabilities: ["b"] }));
  expect(await isShared(store, ANN, first)).toBe(true);
  const roster = await readRoster(store, "team");
  expect(roster.map(({ handle }) => handle)).toEqual(["ann"]);
  expect([...(roster[0]?.capabilities ?? [])].sort()).toEqual(["a", "b"]);
  await expect(take(card("agent", "agent"))).rejects.toMatchObject(TAKEN);
});

test("the handle of a connected agent is refused at once, except to its own connection", async () => {
  expect(await mayHaveLeft(store, presenceLease(ANN))).toBe(false);
  await take(card("one", "agent"));
  expect(await mayHaveLeft(store, presenceLease(ANN))).toBe(true);
  await expect(take(card("two", "agent"))).rejects.toMatchObject(TAKEN);
  await expect(take(card("p1"))).rejects.toMatchObject(TAKEN);
  expect(await rivalOf(store, ANN, card("one", "agent"))).toBe(null);
  expect(await take(card("one", "agent"))).toMatchObject({ name: presenceLease(ANN) });
});

test("a newcomer waits while it is unknown whether the holder of an expired lease is connected", async () => {
  await take(card("one", "agent"));
  nowMs += CHANNEL_LIMITS.silenceMs;
  await expect(take(card("two", "agent"))).rejects.toMatchObject({ name: "TimeoutError" });
  expect(await take(card("one", "agent"))).toMatchObject({ name: presenceLease(ANN) });
});

test("a person and an agent that connect at the same moment do not both get the handle", async () => {
  const owner = ownerOf(card("bot", "agent"));
  const acquireLease: OpenedStore["acquireLease"] = async (...asked) => {
    const lease = await store.acquireLease(...asked);
    await store.acquireLease(presenceLease(ANN), { owner, ttlMs: CHANNEL_LIMITS.silenceMs });
    return lease;
  };
  const raced = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === "acquireLease" ? acquireLease : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await expect(takeHandle(raced, ANN, { card: card("p1") })).rejects.toMatchObject(TAKEN);
  expect((await readRoster(store, "team")).map(({ type }) => type)).toEqual(["agent"]);
});

test("a participant gets its handle back at once, also over a server of another version", async () => {
  const own = card("one", "agent", { capabilities: ["a"] });
  // All versions have written this text.
  const owner = '["one","Ann","agent",["a"]]';
  const { token } = await store.acquireLease(presenceLease(ANN), { owner, ttlMs: 10_000 });
  await expect(take(card("two", "agent"))).rejects.toMatchObject(TAKEN);
  expect(await take(own)).toMatchObject({ name: presenceLease(ANN), token: token + 1 });
  const back = await store.acquireLease(presenceLease(ANN), { owner, ttlMs: 10_000 });
  expect(back).toMatchObject({ token: token + 2 });
});

/** The record of a process of this machine that has ended. */
async function recordDead(token: number): Promise<void> {
  nowMs += 1;
  const owner = `${token}${ownerHere("").replace(/\/\d+\/\d+$/u, "/4194305/1")}`;
  await store.acquireLease(processLease(ANN), { owner, ttlMs: 1 });
  nowMs += 1;
}

test("the handle of an agent is taken from a server that was killed on this machine, after a moment", async () => {
  const { token } = await take(card("one", "agent"));
  await recordDead(token);
  const startMs = performance.now();
  const fence = await takeHandle(store, ANN, { card: card("two", "agent") });
  expect(fence).toEqual({ name: presenceLease(ANN), token: token + 1 });
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_000);
  await recordDead(fence.token);
  // Its participant comes back in the meantime.
  expect(await take(card("two", "agent"))).toMatchObject({ token: token + 2 });
  await expect(take(card("three", "agent"))).rejects.toMatchObject(TAKEN);
});

test("a killed server says nothing about an agent that came back over a server without such records", async () => {
  const own = card("one", "agent");
  const { token } = await take(own);
  await recordDead(token);
  await store.acquireLease(presenceLease(ANN), { owner: ownerOf(own), ttlMs: 10_000 });
  await expect(take(card("two", "agent"))).rejects.toMatchObject(TAKEN);
});

test("a broken connection keeps its handle only for a moment", async () => {
  const fence = await take(card("one", "agent"));
  await awaitReturn(store, fence);
  const [lease] = (await store.listLeases({ prefix: fence.name })).items;
  expect(Date.parse(lease?.expiresAt ?? "") - nowMs).toBe(CHANNEL_LIMITS.reconnectMs);
});

test("a card that does not fit into a lease is refused", () => {
  expect(() => ownerOf(card("p", "person", { name: "x".repeat(600) }))).toThrow(
    expect.objectContaining({ code: "too_large" }),
  );
});

test("a connection that ends interrupts only what it wrote, and its person only with the last connection", async () => {
  await openParticipantSession(store, ANN);
  const [one, two] = [await take(card("p1")), await take(card("p2"))];
  const first = await say("p1", one, { state: "open", to: ["bob"] });
  expect(await hasEnded(store, "team", first)).toBe(false);
  // Somebody else cannot end it.
  const forged = { request: 0, type: "complete", id: "b", messageId: "p1", content: "forged" } as const;
  const bob = { channel: "team", handle: "bob", type: "person", instance: "b" };
  await post(store, bob, { frame: forged, open: new Map([["p1", { length: 0, head: {} }]]) });
  expect(await hasEnded(store, "team", first)).toBe(false);
  await say("p2", two, { state: "open" });
  await endConnection(store, ANN, { fence: one, reason: "left" });
  const interrupted = { messageId: "p1", content: "half", reason: "left", handle: "ann", to: ["bob"] };
  expect(await events("message_interrupted")).toEqual([interrupted]);
  expect(await hasEnded(store, "team", first)).toBe(true);
  expect((await readParticipantSession(store, ANN)).status).toBe("active");
  await store.releaseLease(one);
  await endConnection(store, ANN, { fence: two, reason: "left" });
  expect(await events("message_interrupted")).toMatchObject([{}, { messageId: "p2" }]);
  expect((await readParticipantSession(store, ANN)).status).toBe("interrupted");
});

test("a participant that leaves an input unanswered is interrupted, and is active again when it has processed it", async () => {
  await openParticipantSession(store, ANN);
  const fence = await take(card("one", "agent"));
  const { sequence } = await say("m", undefined, { content: "@ann hello" }, "bob");
  const status = async (): Promise<string> => {
    await endConnection(store, ANN, { fence, reason: "left" });
    return (await readParticipantSession(store, ANN)).status;
  };
  expect(await status()).toBe("active");
  await moveReceived(store, { place: ANN, fence }, sequence);
  expect(await status()).toBe("interrupted");
  const committed = await commitProcessed(store, { place: ANN, fence }, sequence);
  expect(committed).toMatchObject({ status: "active", processed: sequence, received: sequence });
  expect(await status()).toBe("active");
});

test("an input is unanswered, however many messages that are no inputs came before it", async () => {
  await openParticipantSession(store, ANN);
  const fence = await take(card("one", "agent"));
  const begun = Array.from({ length: 40 }, (_, at) => ({
    id: `begun-${at}`,
    type: "message_sent",
    actor: { kind: "person", id: "bob" } as const,
    data: { content: "", state: "open", to: ["ann"] },
  }));
  await store.append(channelLogId("team"), begun);
  const { sequence } = await say("m", undefined, { content: "@ann hello" }, "bob");
  await moveReceived(store, { place: ANN, fence }, sequence);
  await endConnection(store, ANN, { fence, reason: "left" });
  expect((await readParticipantSession(store, ANN)).status).toBe("interrupted");
});

test("a message after the last received event is not an unanswered input", async () => {
  await openParticipantSession(store, ANN);
  const fence = await take(card("one", "agent"));
  const { sequence } = await say("m", undefined, { content: "hello" }, "bob");
  await moveReceived(store, { place: ANN, fence }, sequence);
  await say("n", undefined, { content: "@ann hello" }, "bob");
  await endConnection(store, ANN, { fence, reason: "left" });
  expect((await readParticipantSession(store, ANN)).status).toBe("active");
});

test("the position `received` belongs to each device, and `processed` to the person", async () => {
  await openParticipantSession(store, ANN);
  const fence = await take(card("p1"));
  await say("m", fence, {});
  await say("n", fence, {});
  await moveReceived(store, { place: ANN, fence, device: "phone" }, 2);
  expect((await readParticipantSession(store, ANN, "desk")).received).toBe(0);
  await commitProcessed(store, { place: ANN, fence, device: "desk" }, 1);
  expect(await readParticipantSession(store, ANN, "desk")).toMatchObject({ received: 1, processed: 1 });
  expect(await readParticipantSession(store, ANN, "phone")).toMatchObject({ received: 2, processed: 1 });
});

test("a sweep keeps participants that may be connected, interrupts those that are gone, and releases their leases and its own turn", async () => {
  const fence = await take(card("one", "agent"));
  await say("one", fence, { state: "open" });
  nowMs += CHANNEL_LIMITS.silenceMs;
  expect(await sweepChannels(store, { owner: "a", isGone: async () => false })).toEqual([]);
  expect(await events("message_interrupted")).toEqual([]);
  expect(await sweepChannels(store, { owner: "a" })).toEqual([ANN]);
  expect(await events("message_interrupted")).toMatchObject([{ messageId: "one", content: "half" }]);
  expect((await store.listLeases({ prefix: fence.name })).items).toEqual([]);
  const owner = ownerOf(card("bob", "agent"));
  for (const handle of ["bob", "cem"]) {
    await store.acquireLease(presenceLease({ ...ANN, handle }), { owner, ttlMs: 1 });
  }
  nowMs += 1;
  const isBob = async ({ name }: { readonly name: string }): Promise<boolean> => name.endsWith("/bob");
  expect(await sweepChannels(store, { owner: "a", isGone: isBob })).toEqual([{ ...ANN, handle: "bob" }]);
  expect(await sweepChannels(store, { owner: "b" })).toEqual([{ ...ANN, handle: "cem" }]);
});

test("a sweep that takes longer than its turn renews it, so that no other server sweeps at the same time", async () => {
  for (const handle of ["ann", "bob", "cem", "dan"]) {
    await store.acquireLease(presenceLease({ ...ANN, handle }), {
      owner: ownerOf(card(handle, "agent", { handle })),
      ttlMs: 1,
    });
  }
  nowMs += 1;
  let passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => passedMs);
  const others: (readonly unknown[])[] = [];
  const slow = Object.create(store, {
    releaseLease: {
      value: async (fence: Fence) => {
        await store.releaseLease(fence);
        if (!fence.name.startsWith("channel/")) return;
        nowMs += 4_000;
        passedMs += 4_000;
        others.push(await sweepChannels(store, { owner: "b" }));
      },
    },
  }) as Store;
  expect(await sweepChannels(slow, { owner: "a" })).toHaveLength(4);
  expect(others).toEqual([[], [], [], []]);
});

test("a deleted channel does not keep a sweep from the other channels", async () => {
  for (const channel of ["gone", "team"]) {
    await openChannel(store, channel);
    const place = { channel, handle: "ann" };
    await takeHandle(store, place, { card: card("one", "agent") });
  }
  await store.deleteLog(channelLogId("gone"));
  nowMs += CHANNEL_LIMITS.silenceMs;
  const swept = await sweepChannels(store, { owner: "a" });
  expect(swept.map(({ channel }) => channel).toSorted()).toEqual(["gone", "team"]);
});

test("an agent's own session is kept with its participant until it is removed", async () => {
  await openParticipantSession(store, ANN);
  const fence = await take(card("one", "agent"));
  const named = async (id: string | null): Promise<string | null> => {
    await setSdkSession(store, { place: ANN, fence }, id);
    return (await readParticipantSession(store, ANN)).sdkSessionId;
  };
  expect([await named("agent-7"), await named(null)]).toEqual(["agent-7", null]);
});

test("an entry of a history keeps its role", async () => {
  await openParticipantSession(store, ANN);
  const fence = await take(card("one", "agent"));
  for (const role of ["system", "user", "assistant"])
    await storeMessage(store, { place: ANN, fence }, { id: role, role, content: role });
  expect((await readHistory(store, ANN, 9)).map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
});

test("a history begins after it was cleared, and has the newest messages, oldest first", async () => {
  await openParticipantSession(store, ANN);
  const place = { place: ANN, fence: await take(card("p1")) };
  const keep = (id: string, role: string) => storeMessage(store, place, { id, role, content: id });
  const shown = async (limit: number): Promise<readonly string[]> =>
    (await readHistory(store, ANN, limit)).map(({ role, content }) => `${role} ${content}`);
  await keep("a", "user");
  await keep("b", "assistant");
  expect(await shown(9)).toEqual(["user a", "assistant b"]);
  expect(await shown(1)).toEqual(["assistant b"]);
  await clearHistory(store, place, "clear");
  expect(await shown(9)).toEqual([]);
  await keep("c", "user");
  expect([await shown(9), await shown(2)]).toEqual([["user c"], ["user c"]]);
  await expect(keep("d", "nobody")).rejects.toMatchObject({ code: "invalid" });
});

test("a message in progress grows, ends once, and accepts nothing after its end", async () => {
  const fence = await take(card("p1"));
  const author = { ...ANN, type: "person", instance: "p1", fence };
  let open: OpenMessages = new Map();
  const write = async (frame: object): Promise<StoredEvent> => {
    const whole = { request: 0, ...frame } as unknown as PostFrame;
    const event = await post(store, author, { frame: whole, open });
    open = openAfter(open, whole, event);
    return event;
  };
  await write({ type: "send", id: "m", content: "", state: "open", to: ["bob"] });
  await write({ type: "append", id: "1", messageId: "m", delta: "ab" });
  await write({ type: "append", id: "2", messageId: "m", delta: "cd" });
  expect(open.get("m")).toMatchObject({ length: 4 });
  await write({
    type: "replace",
    id: "3",
    messageId: "m",
    content: "x".repeat(CHANNEL_LIMITS.messageLength - 1),
  });
  await write({ type: "append", id: "4", messageId: "m", delta: "y" });
  await expect(write({ type: "append", id: "5", messageId: "m", delta: "z" })).rejects.toMatchObject({
    code: "too_large",
  });
  const end = { type: "complete", id: "end", messageId: "m", content: "abcd" };
  const stored = await write(end);
  expect([stored.data, open.size]).toEqual([{ messageId: "m", content: "abcd", to: ["bob"] }, 0]);
  expect((await write(end)).sequence).toBe(stored.sequence);
  await expect(write({ type: "append", id: "6", messageId: "m", delta: "z" })).rejects.toMatchObject({
    code: "conflict",
  });
  await write({ type: "send", id: "r", content: "yes", replyTo: "m" });
  expect((await store.read(channelLogId("team"), { id: "r" })).events[0]?.data).toMatchObject({
    replyToHandle: "ann",
  });
});

test("the number of messages in progress of a participant is limited, and it may begin another one after an end", async () => {
  const author = { ...ANN, type: "person", instance: "p1", fence: await take(card("p1")) };
  const open = new Map(
    Array.from({ length: CHANNEL_LIMITS.openMessages }, (_, n) => [`m${n}`, { length: 0, head: {} }]),
  );
  const begin = async (id: string): Promise<StoredEvent> => {
    const frame = { request: 0, type: "send", id, content: "", state: "open" } as unknown as PostFrame;
    return await post(store, author, { frame, open });
  };
  await expect(begin("more")).rejects.toMatchObject({ code: "too_large" });
  expect(await begin("m0")).toMatchObject({ id: "m0" });
});

test("handles, channels and tokens whose texts begin alike are not confused", async () => {
  const { token } = await take(card("one", "agent"));
  await recordDead(token);
  const an = { channel: "team", handle: "an" };
  const signal = AbortSignal.timeout(400);
  const takeAn = async (instance: string): Promise<Fence> =>
    await takeHandle(store, an, { card: card(instance, "agent", { handle: "an" }), signal });
  // A server of an earlier version records no process. The handle `ann` has a record for the same token.
  const owner = ownerOf(card("two", "agent"));
  const held = await store.acquireLease(presenceLease(an), { owner, ttlMs: 10_000 });
  expect(held.token).toBe(token);
  await expect(takeAn("three")).rejects.toMatchObject(TAKEN);
  await store.releaseLease(held);
  expect(await takeAn("three")).toMatchObject({ name: presenceLease(an) });
  expect(await readRoster(store, "tea")).toEqual([]);
  await recordDead(Number(`${token}2`));
  await expect(take(card("four", "agent"))).rejects.toMatchObject(TAKEN);
});

test("each connection of an agent records the process of its server, and that of a person does not", async () => {
  const recorded = async (): Promise<readonly string[]> =>
    (await store.listLeases({ prefix: processLease(ANN) })).items.map(
      ({ owner }) => owner.split("@")[0] ?? "",
    );
  const person = await take(card("p1"));
  expect(await recorded()).toEqual([]);
  await store.releaseLease(person);
  const first = await take(card("one", "agent"));
  expect(await recorded()).toEqual([String(first.token)]);
  await store.releaseLease(first);
  nowMs += 1;
  const second = await take(card("two", "agent"));
  expect(await recorded()).toEqual([String(second.token)]);
});

test("a connected participant keeps its handle for the time of silence, and stays in the roster when that is over", async () => {
  const fence = await take(card("one", "agent"));
  nowMs += 1_000;
  await renewHandle(store, fence);
  const [lease] = (await store.listLeases({ prefix: fence.name })).items;
  expect(Date.parse(lease?.expiresAt ?? "") - nowMs).toBe(CHANNEL_LIMITS.silenceMs);
  nowMs += CHANNEL_LIMITS.silenceMs + 1;
  expect((await readRoster(store, "team")).map(({ handle }) => handle)).toEqual(["ann"]);
  expect(cardIn({ ...fence, owner: '["one","Ann"]' } as never)).toBeNull();
});

test("a newcomer takes the handle of an unknown holder after ten seconds", async () => {
  const { token } = await take(card("one", "agent"));
  nowMs += CHANNEL_LIMITS.silenceMs;
  let passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    passedMs += 5_000;
    return passedMs;
  });
  expect(await take(card("two", "agent"))).toMatchObject({ token: token + 1 });
});

test("a result of a call says whether more follow", async () => {
  const author = { ...ANN, type: "agent", instance: "one", fence: await take(card("one", "agent")) };
  const answer = async (id: string, done: boolean): Promise<unknown> => {
    const frame = { request: 0, type: "answer", id, callId: "c", value: id, done } as unknown as PostFrame;
    return (await post(store, author, { frame, open: new Map() })).data;
  };
  expect(await answer("a", false)).toEqual({ callId: "c", value: "a", done: false });
  expect(await answer("b", true)).toEqual({ callId: "c", value: "b", done: true });
});

/** A connected participant never counts as one that disappeared. Only the test moves the clock. */

import type { AgenticClient } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LOG, until } from "./contract/case.ts";
import { hello, openRaw } from "./contract/raw.ts";
import { type OpenChannel, openChannelServer } from "./open-channel.ts";

const HOUR_MS = 3_600_000;

let nowMs = 0;
let store: Awaited<ReturnType<typeof openStore>>;
let first: OpenChannel;
let second: OpenChannel;

beforeEach(async () => {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  store = await openStore("memory:", { now: () => nowMs });
  first = await openChannelServer(store);
  second = await openChannelServer(store);
});

afterEach(async () => {
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  await store.close();
});

/** Resolves when `events()` ended, with the way it ended. */
function endOf(client: AgenticClient): { readonly ended: () => unknown } {
  let end: unknown = "open";
  const read = async (): Promise<void> => {
    for await (const _ of client.events());
  };
  read().then(
    () => {
      end = "closed";
    },
    (error: unknown) => {
      end = error;
    },
  );
  return { ended: () => end };
}

async function expired(handle: string): Promise<boolean> {
  const [lease] = (await store.listLeases({ prefix: `channel/team/${handle}`, state: "expired" })).items;
  return lease !== undefined;
}

test("a message in progress stays open when the clock jumps forward by hours", async () => {
  const writer = await openRaw(first.url);
  writer.send(hello({ handle: "bot", participantType: "agent" }));
  await writer.next("ready");
  writer.send({ type: "send", request: 1, id: "m", content: "", state: "open" });
  await writer.next("ok");
  for (const hours of [1, 24]) {
    nowMs += hours * HOUR_MS;
    await until(async () => !(await expired("bot")), "a handle that was renewed");
  }
  writer.send({ type: "append", request: 2, id: "p", messageId: "m", delta: "x" });
  expect(await writer.next("ok")).toMatchObject({ request: 2 });
  expect((await store.read(LOG)).events.map(({ type }) => type)).toEqual([
    "message_sent",
    "message_streamed",
  ]);
  writer.cut();
});

test("a newcomer is refused a handle whose lease expired while its participant is still connected", async () => {
  const bot = await first.join("bot", { type: "agent" });
  const watching = endOf(bot);
  nowMs += HOUR_MS;
  await expect(first.join("bot", { type: "agent" })).rejects.toMatchObject({ code: "handle_taken" });
  await bot.send("still here");
  expect(watching.ended()).toBe("open");
});

test("a participant whose lease another server took gets it back, and none of 20 participants ends", async () => {
  const bots = await Promise.all(
    Array.from({ length: 20 }, (_, n) => first.join(`bot${n}`, { type: "agent" })),
  );
  const watched = bots.map(endOf);
  // A server does this when it finds the expired leases of a server that stood still.
  for (const [n] of bots.entries()) {
    const name = `channel/team/bot${n}`;
    const { token } = (await store.getLease(name)) ?? { token: 0 };
    const lease = await store.acquireLease(name, { owner: "server-other", takeFrom: token });
    await store.releaseLease(lease);
  }
  const sent = await Promise.all(bots.map((bot, n) => bot.send(`from ${n}`)));
  expect(sent.length).toBe(20);
  expect(watched.map(({ ended }) => ended())).toEqual(bots.map(() => "open"));
  expect(await store.latestSequence(LOG)).toBe(20);
});

test("a participant ends with handle_taken only when another participant has its handle", async () => {
  const bot = await first.join("bot", { type: "agent" });
  const watching = endOf(bot);
  nowMs += HOUR_MS;
  const { token = 0 } = (await store.listLeases({ prefix: "channel/team/bot" })).items[0] ?? {};
  const owner = JSON.stringify(["another connect()", "bot", "agent", []]);
  await store.acquireLease("channel/team/bot", { owner, takeFrom: token, ttlMs: HOUR_MS });
  await expect(bot.send("late")).rejects.toMatchObject({ code: "handle_taken" });
  expect(watching.ended()).toMatchObject({ code: "handle_taken" });
});

test("no message of a participant of another server is interrupted after the clock of the database jumped", async () => {
  const writer = await openRaw(first.url);
  writer.send(hello({ handle: "bot", participantType: "agent" }));
  await writer.next("ready");
  // From here on, the second server sweeps too.
  await second.join("reader", { type: "agent" });
  writer.send({ type: "send", request: 1, id: "m", content: "", state: "open" });
  await writer.next("ok");
  nowMs += HOUR_MS;
  await until(async () => !(await expired("bot")), "a handle that was renewed");
  writer.send({ type: "complete", request: 2, id: "e", messageId: "m", content: "whole" });
  expect(await writer.next("ok")).toMatchObject({ request: 2 });
  writer.cut();
});

test("a newcomer on another server does not take a handle whose lease just expired", async () => {
  const bot = await first.join("bot", { type: "agent" });
  const watching = endOf(bot);
  nowMs += HOUR_MS;
  await expect(second.join("bot", { type: "agent" })).rejects.toMatchObject({ code: "handle_taken" });
  await bot.send("still here");
  expect(watching.ended()).toBe("open");
});

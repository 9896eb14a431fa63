/** The exact millisecond at which a writer that disappeared is interrupted. Only the test moves the clock. */

import { type OpenedStore, openStore } from "@continuo/store";
import { readParticipantSession, sweepChannels } from "@continuo/store/channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LOG, typesIn, until } from "./contract/case.ts";
import { hello, openRaw, type RawSocket } from "./contract/raw.ts";
import { type OpenChannel, openChannelServer } from "./open-channel.ts";

const ANN = { channel: "team", handle: "ann" };

let nowMs = 0;
let store: OpenedStore;
let channel: OpenChannel;
let writer: RawSocket;

beforeEach(async () => {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  store = await openStore("memory:", { workspaceId: "w", now: () => nowMs });
  channel = await openChannelServer(store);
  writer = await openRaw(channel.url);
  writer.send(hello({ handle: "ann", participantType: "agent", workspaceId: "w" }));
  await writer.next("ready");
  writer.send({ type: "send", request: 1, id: "m", content: "half", state: "open" });
  await writer.next("ok");
  nowMs += 5_000;
  await heartbeat();
});

afterEach(async () => {
  writer.cut();
  await channel[Symbol.asyncDispose]();
  await store.close();
});

async function leftMs(): Promise<number> {
  const [lease] = (await store.listLeases({ prefix: "channel/team/ann" })).items;
  return Date.parse(lease?.expiresAt ?? "") - nowMs;
}

/** The renewal is repeated, because the server does not renew a handle again that it renewed a moment ago. */
async function heartbeat(): Promise<void> {
  const beats = setInterval(() => writer.send({ type: "heartbeat" }), 1_100);
  writer.send({ type: "heartbeat" });
  try {
    await until(async () => (await leftMs()) === 10_000, "a handle that was renewed for 10 s");
  } finally {
    clearInterval(beats);
  }
}

test("a writer whose server ended is interrupted 10 s after its last heartbeat, and not earlier", async () => {
  await channel.stop();
  nowMs += 9_999;
  expect(await sweepChannels(store, { owner: "test" })).toEqual([]);
  nowMs += 1;
  expect(await sweepChannels(store, { owner: "test" })).toEqual([ANN]);
  expect(await typesIn(store)).toEqual(["message_sent", "message_interrupted"]);
  expect((await readParticipantSession(store, ANN)).status).toBe("interrupted");
});

test("a writer that was seen to disconnect is interrupted 2 s later, and not earlier", async () => {
  writer.cut();
  await until(async () => (await leftMs()) === 2_000, "a handle that waits for 2 s");
  nowMs += 1_999;
  expect(await sweepChannels(store, { owner: "test" })).toEqual([]);
  expect(await typesIn(store)).toEqual(["message_sent"]);
  nowMs += 1;
  // This sweep interrupts the writer, or one of the sweeps that the server makes all the time.
  await sweepChannels(store, { owner: "test" });
  await until(async () => (await store.latestSequence(LOG)) === 2, "an interruption");
  expect(await typesIn(store)).toEqual(["message_sent", "message_interrupted"]);
  expect((await readParticipantSession(store, ANN)).status).toBe("interrupted");
});

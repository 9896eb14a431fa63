/**
 * Participants join a channel of many messages without a snapshot, as after an import. The tests count the work instead
 * of timing it.
 */

import type { NewEvent, Store } from "@continuo/core/model";
import { LIMITS, openStore } from "@continuo/store";
import { ChannelStates, readState } from "@continuo/store/channels";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OutgoingFrames } from "../../packages/server/src/server/channels/outgoing-frames.ts";
import { countWork } from "../store/harness/turns.ts";
import { type OpenChannel, openChannelServer, take, words } from "./open-channel.ts";

const LOG = "channels/team";
const MESSAGES = 4_000;
/** The sequences of the messages to the bot. */
const TO_BOT = [7, 1_500, MESSAGES - 1_500, MESSAGES - 10];
/** Two turns, each with the statement that exceeds its limit, because the count may begin in the middle of a turn. */
const MOST = 3 * LIMITS.turnWork;

let imported: Store;
let reads: { events: number };
let channel: OpenChannel;

beforeAll(async () => {
  imported = await openStore("memory:");
  const counted = counting(imported);
  reads = counted.reads;
  channel = await openChannelServer(counted.store);
  await imported.createLog({ logId: LOG });
  for (let at = 1; at <= MESSAGES; at += 1_000)
    await imported.append(
      LOG,
      Array.from({ length: 1_000 }, (_, n) => message(at + n)),
    );
});
afterAll(async () => {
  await channel[Symbol.asyncDispose]();
  await imported.close();
});

function message(n: number): NewEvent {
  const content = TO_BOT.includes(n) ? `@bot question ${n}` : `message ${n} about a robot`;
  const actor = { kind: "person", id: n % 2 === 0 ? "ann" : "ben" } as const;
  return { id: `m${n}`, type: "message_sent", actor, data: { messageId: `m${n}`, content } };
}

/** Counts the events that the server reads of the store. */
function counting(store: Store): { readonly store: Store; readonly reads: { events: number } } {
  const counts = { events: 0 };
  const counted: Store = Object.assign(Object.create(store) as Store, {
    forWorkspace: () => counted,
    read: async (...given: Parameters<Store["read"]>) => {
      const page = await store.read(...given);
      counts.events += page.events.length;
      return page;
    },
    tail: async function* (...given: Parameters<Store["tail"]>) {
      for await (const event of store.tail(...given)) {
        counts.events++;
        yield event;
      }
    },
  });
  return { store: counted, reads: counts };
}

/** The largest number of event frames that were sent in one turn of the event loop. */
async function mostSent(run: () => Promise<void>): Promise<number> {
  const { event: send } = OutgoingFrames.prototype;
  let inTurn = 0;
  let most = 0;
  OutgoingFrames.prototype.event = function (...given) {
    most = Math.max(most, ++inTurn);
    send.apply(this, given);
  };
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  try {
    await run();
    return most;
  } finally {
    OutgoingFrames.prototype.event = send;
    clearImmediate(turn);
  }
}

test("for a newcomer with `skip`, only the messages that are addressed to it are read", async () => {
  reads.events = 0;
  const { most } = await countWork(async () => {
    const bot = await channel.join("bot", { replayMode: "skip" });
    expect(reads.events).toBe(TO_BOT.length);
    expect((await take(bot, TO_BOT.length)).map(({ sequence }) => sequence)).toEqual(TO_BOT);
    expect(bot.missedMessages).toEqual([]);
    await bot.close();
  });
  expect(most).toBeLessThanOrEqual(MOST);
  const cy = await channel.join("cy", { replayMode: "skip" });
  await cy.close();
  // When the bot left, the server looked again for inputs without an answer.
  expect(reads.events).toBe(2 * TO_BOT.length);
});

test("for a newcomer with `collect`, the newest 1,000 messages are read, and the others are counted", async () => {
  reads.events = 0;
  const { most } = await countWork(async () => {
    const bot = await channel.join("bot", { replayMode: "collect" });
    // These messages are found, folded and sent, and so are addressed messages before them.
    expect(reads.events).toBe(3 * 1_000 + 3);
    const missed = bot.missedMessages.map(({ sequence }) => sequence);
    expect([missed.length, missed[0], missed.at(-1)]).toEqual([999, MESSAGES - 999, MESSAGES]);
    expect(bot.formatMissedContext({ maxChars: 500 }).count).toBe(MESSAGES - TO_BOT.length);
    expect((await take(bot, TO_BOT.length)).map(({ sequence }) => sequence)).toEqual(TO_BOT);
    await bot.close();
  });
  expect(most).toBeLessThanOrEqual(MOST);
});

test("a newcomer who receives everything does not block others, and leaves a snapshot for the next newcomer", async () => {
  expect(await imported.getLatestSnapshot({ logId: LOG, name: "channel" })).toBeNull();
  let sequences: readonly (number | undefined)[] = [];
  const sent = await mostSent(async () => {
    const { most } = await countWork(async () => {
      const reader = await channel.join("reader", { replayMode: "stream" });
      sequences = (await take(reader, MESSAGES)).map(({ sequence }) => sequence);
      await reader.close();
    });
    expect(most).toBeLessThanOrEqual(MOST);
  });
  expect(sequences).toEqual(Array.from({ length: MESSAGES }, (_, n) => n + 1));
  expect(sent).toBeLessThanOrEqual(MOST);
  const snapshot = await imported.getLatestSnapshot({ logId: LOG, name: "channel" });
  expect(snapshot?.sequence).toBe(MESSAGES);
});

test("a message that arrives during the replay is delivered after it", async () => {
  const reader = await channel.join("reader", { replayMode: "stream" });
  const writer = await channel.join("writer", { replayMode: "skip" });
  await writer.send("the newest");
  const last = (await take(reader, MESSAGES + 1)).at(-1);
  expect([last?.sequence, last === undefined ? "" : words(last)]).toEqual([
    MESSAGES + 1,
    "writer: the newest",
  ]);
});

test("for readers who join at the same time the log is folded once", async () => {
  const other = await openStore("memory:");
  const counted = counting(other);
  await other.createLog({ logId: LOG });
  for (let at = 1; at <= 2_000; at += 1_000)
    await other.append(
      LOG,
      Array.from({ length: 1_000 }, (_, n) => message(at + n)),
    );
  const states = new ChannelStates();
  const all = await Promise.all(Array.from({ length: 10 }, () => states.read(counted.store, "team")));
  expect(all.map(({ sequence }) => sequence)).toEqual(Array(10).fill(2_000));
  expect(counted.reads.events).toBe(2_000);
  await other.append(LOG, [message(2_001)]);
  expect((await states.read(counted.store, "team")).sequence).toBe(2_001);
  await other.close();
});

/** A log of whole messages, each of which is made when it is read. */
function endlessLog(latest: number): { readonly store: Store; readonly stored: number[] } {
  const stored: number[] = [];
  const store = {
    workspaceId: "w",
    getLatestSnapshot: () =>
      Promise.resolve(stored.length === 0 ? null : { sequence: stored.at(-1), data: { open: {} } }),
    putSnapshot: ({ sequence }: { sequence: number }) => Promise.resolve(stored.push(sequence)),
    deleteSnapshots: () => Promise.resolve(0),
    read: (_: string, { after = 0, limit = 1 }: { after?: number; limit?: number }) => {
      const count = Math.min(limit, latest - after);
      const events = Array.from({ length: count }, (_, n) => ({
        ...message(after + n + 1),
        sequence: after + n + 1,
      }));
      return Promise.resolve({ events, nextAfter: after + count < latest ? after + count : null });
    },
  };
  return { store: store as unknown as Store, stored };
}

test("a fold of a long log stores its state on the way, so that the next fold continues there", async () => {
  const { store, stored } = endlessLog(120_500);
  expect((await readState(store, "team")).sequence).toBe(120_500);
  expect(stored).toEqual([50_000, 100_000, 120_500]);
});

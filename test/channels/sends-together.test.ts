/** Messages that a client sends without waiting: they share commits, keep their order, and each has its own answer. */

import type { Store } from "@continuo/core/model";
import { channelLogId } from "@continuo/core/wire";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenChannel, openChannelServer } from "./open-channel.ts";

const SENDS = 64;
let store: OpenedStore;
let channel: OpenChannel;
/** The number of messages of each append. */
let appends: number[] = [];

beforeEach(async () => {
  appends = [];
  store = await openStore("memory:");
  channel = await openChannelServer(counting(store));
});
afterEach(async () => {
  await channel[Symbol.asyncDispose]();
  await store.close();
});

function counting(base: Store): Store {
  const counted: Partial<Store> = {
    forWorkspace: (...given) => counting(base.forWorkspace(...given)),
    append: async (...given) => {
      const messages = given[1].filter(({ type }) => type === "message_sent");
      if (messages.length > 0) appends.push(messages.length);
      return await base.append(...given);
    },
  };
  return new Proxy(base, {
    get: (target, key) => {
      const value: unknown = Reflect.get(counted, key) ?? Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function contents(): Promise<readonly unknown[]> {
  const { events } = await store.read(channelLogId("team"), { types: ["message_sent"] });
  return events.map(({ data }) => (data as { readonly content: unknown }).content);
}

test("messages that are sent at the same time share commits, and are stored in their order", async () => {
  const ann = await channel.join("ann");
  const numbers = Array.from({ length: SENDS }, (_, n) => `message ${n}`);
  await Promise.all(numbers.map((content) => ann.send(content)));
  expect(await contents()).toEqual(numbers);
  expect(appends.reduce((sum, count) => sum + count, 0)).toBe(SENDS);
  expect(appends.length).toBeLessThan(SENDS / 4);
});

test("a message that the store refuses does not affect the messages next to it", async () => {
  const ann = await channel.join("ann");
  await ann.send("first", { id: "known" });
  const all = await Promise.allSettled([
    ann.send("second"),
    ann.send("another text", { id: "known" }),
    ann.send("first", { messageId: "known" }),
    ann.send("third"),
  ]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(all[1]).toMatchObject({ reason: { code: "conflict" } });
  expect(await contents()).toEqual(["first", "second", "third"]);
});

test("messages are stored after an answer that was sent before them", async () => {
  const ann = await channel.join("ann");
  const { messageId } = await ann.send("one");
  await Promise.all([
    ann.send("two"),
    ann.send("three"),
    ann.send("four", { replyTo: messageId }),
    ann.send("five"),
    ann.send("six"),
  ]);
  expect(await contents()).toEqual(["one", "two", "three", "four", "five", "six"]);
});

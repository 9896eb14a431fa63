/** `openChannel`: the messages of a channel as lists, from the newest ones to those that are being written. */

import {
  type AgenticClient,
  type ChannelMessage,
  type OpenedChannel,
  openChannel,
} from "@continuo/core/client";
import type { MessagesWindow } from "@continuo/core/wire";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { type OpenChannel, openChannelServer } from "./open-channel.ts";

type Lists = ReturnType<OpenedChannel["messages"]>;

const textsOf = (list: readonly ChannelMessage[]): readonly string[] => list.map(({ content }) => content);

/** Returns the first list that meets the condition. */
async function until(
  lists: Lists,
  wanted: (list: readonly ChannelMessage[]) => boolean,
): Promise<readonly ChannelMessage[]> {
  for (;;) {
    const { done, value } = await lists.next();
    if (done === true) throw new Error("the lists are over");
    if (wanted(value)) return value;
  }
}

function openPage({ url }: OpenChannel, options: { readonly limit?: number } = {}): Promise<OpenedChannel> {
  return openChannel({ serverUrl: url, channel: "team", handle: "page", ...options });
}

/** Writes what a page that comes later finds: four messages, of which the last one is not complete. */
async function writeSome(ann: AgenticClient, bot: AgenticClient): Promise<string> {
  for (const text of ["one", "two", "three"]) await ann.send(text, { id: text });
  const { messageId } = await bot.openMessage();
  await bot.update(messageId, "half");
  return messageId;
}

test("a page gets the newest messages, the next words of one in progress, and each change; after a reload the same", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const [ann, bot] = await Promise.all([server.join("ann"), server.join("bot", { type: "agent" })]);
  const messageId = await writeSome(ann, bot);
  const first = await openPage(server, { limit: 3 });
  const lists = first.messages();
  expect(textsOf((await lists.next()).value)).toEqual(["two", "three", "half"]);
  await bot.update(messageId, " an answer");
  const grown = await until(lists, (list) => list.at(-1)?.content === "half an answer");
  expect(grown.at(-1)).toMatchObject({ state: "open", handle: "bot", kind: "agent" });
  await bot.complete(messageId);
  await ann.edit("two", "2");
  await ann.delete("three");
  await bot.addReaction("two", "👍");
  await first.client.send("a question", { id: "question" });
  const last = await until(lists, (list) => list.at(-1)?.content === "a question");
  expect(last).toMatchObject([
    { content: "2", reactions: [{ reaction: "👍", handles: ["bot"] }] },
    { content: "half an answer", state: "complete" },
    { content: "a question", handle: "page", kind: "person" },
  ]);
  await first.close();
  expect(await lists.next()).toEqual({ done: true, value: undefined });
  await using again = await openPage(server, { limit: 4 });
  expect((await again.messages().next()).value).toEqual(last);
});

test("a page that draws slowly gets one list for several changes, and at most 1,000 messages", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  await using page = await openPage(server);
  const lists = page.messages();
  expect((await lists.next()).value).toEqual([]);
  const ann = await server.join("ann");
  await Promise.all(Array.from({ length: 1_100 }, (_, n) => ann.send(`m${n}`)));
  let drawn = 0;
  const all = await until(lists, (list) => {
    drawn += 1;
    return list.at(-1)?.content === "m1099";
  });
  expect(textsOf(all)).toEqual(Array.from({ length: 1_000 }, (_, n) => `m${n + 100}`));
  expect(drawn).toBeLessThan(100);
  // A page that stops reading and reads again misses nothing.
  await lists.return?.();
  await ann.send("later");
  expect((await until(page.messages(), (list) => list.at(-1)?.content === "later")).length).toBe(1_000);
});

test("a message that is deleted leaves the list of a page that showed it, and a page that comes later never has it", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const ann = await server.join("ann");
  for (const text of ["one", "two"]) await ann.send(text, { id: text });
  await using page = await openPage(server);
  const lists = page.messages();
  expect(textsOf((await lists.next()).value)).toEqual(["one", "two"]);
  await ann.delete("one");
  expect(textsOf(await until(lists, (list) => list.length < 2))).toEqual(["two"]);
  await using again = await openPage(server);
  expect(textsOf((await again.messages().next()).value)).toEqual(["two"]);
});

test("people read in the list that agents which answer each other stopped, and why, also after a reload", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const bots = await Promise.all(
    ["ada", "bob"].map((handle) => server.join(handle, { type: "agent", onWarning: () => undefined })),
  );
  const talks = bots.map(async (bot, place) => {
    const words = `@${place === 0 ? "bob" : "ada"} I agree. And you?`;
    for await (const event of bot.events({ targetedOnly: true, maxTurns: 3 })) await bot.answer(event, words);
  });
  await using page = await openPage(server);
  const lists = page.messages();
  await page.client.send("@ada is the bridge open?", { id: "question" });
  const stopped = await until(lists, (list) => list.at(-1)?.kind === "system");
  expect(stopped.map(({ handle }) => handle)).toEqual(["page", "ada", "bob", "ada", null]);
  expect(stopped.at(-1)).toMatchObject({
    content: "bob does not answer: agents sent 3 messages since a person did. Send a message to go on.",
    state: "complete",
  });
  await using again = await openPage(server);
  expect((await again.messages().next()).value).toEqual(stopped);
  await page.client.send("Thank you.");
  const later = await until(lists, (list) => list.length === 6);
  expect(later.slice(4).map(({ kind }) => kind)).toEqual(["system", "person"]);
  // The model of an agent reads windows of messages only.
  const window = await fetch(`${server.url}/v1/channels/team/messages`);
  expect(((await window.json()) as MessagesWindow).messages).toHaveLength(5);
  for (const bot of bots) await bot.close();
  await Promise.allSettled(talks);
});

test("a page without a valid token is refused with the reason, and its options are checked", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  try {
    const options = { serverUrl: server.url, channel: "team", handle: "ann", token: "wrong" };
    await expect(openChannel(options)).rejects.toMatchObject({ code: "unauthorized" });
    await expect(openChannel({ ...options, limit: 1_001 })).rejects.toMatchObject({ code: "invalid" });
    const withAfter = { ...options, after: 0 };
    await expect(openChannel(withAfter)).rejects.toMatchObject({ code: "usage" });
  } finally {
    await server.close();
  }
});

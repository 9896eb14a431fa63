/** A channel is read over HTTP in windows from its end, as a page does, and appears in a list. */

import type { ChannelRow, MessagesWindow } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer } from "./open-channel.ts";

const json = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

test("windows from the end hold every message once and whole, even one whose end lies in a newer window", async () => {
  await using store = await openStore("memory:");
  await using channel = await openChannelServer(store);
  const ann = await channel.join("ann");
  const said: string[] = [];
  const { messageId } = await ann.openMessage();
  await ann.update(messageId, "begun early, ");
  for (let n = 1; n <= 7; n++) said.push((await ann.send(`m${n}`)).messageId);
  await ann.update(messageId, "ended late");
  await ann.complete(messageId);
  const url = `${channel.url}/v1/channels/team/messages?limit=3`;
  const windows: MessagesWindow[] = [await json(url)];
  while (windows.at(-1)?.hasOlder === true) {
    windows.push(await json(`${url}&before=${windows.at(-1)?.messages[0]?.sequence}`));
  }
  const read = windows.toReversed().flatMap(({ messages }) => messages);
  expect(read.map(({ messageId: id }) => id)).toEqual([messageId, ...said]);
  expect(read[0]).toMatchObject({
    content: "begun early, ended late",
    state: "complete",
    kind: "person",
    handle: "ann",
  });
  expect(windows[0]?.sequence).toBe(await store.latestSequence("channels/team"));
});

test("a window of very long messages ends early, and reports that there are older messages", async () => {
  await using store = await openStore("memory:");
  await using channel = await openChannelServer(store);
  const ann = await channel.join("ann");
  for (let n = 0; n < 3; n++) await ann.send(`${n}`.repeat(900_000));
  const window = await json<MessagesWindow>(`${channel.url}/v1/channels/team/messages`);
  expect(window.messages.map(({ content }) => content[0])).toEqual(["1", "2"]);
  expect(window.hasOlder).toBe(true);
});

test("a list has the newest message, and the number of people and agents", async () => {
  await using store = await openStore("memory:");
  await using channel = await openChannelServer(store);
  await store.createLog({ logId: "channels/empty" });
  const ann = await channel.join("ann");
  await channel.join("bot", { type: "agent" });
  await ann.send("first");
  await ann.send(`last ${"x".repeat(5_000)}`);
  const { channels } = await json<{ readonly channels: readonly ChannelRow[] }>(
    `${channel.url}/v1/channels?summary=true`,
  );
  const [empty, team] = channels.toSorted((a, b) => (a.channel < b.channel ? -1 : 1));
  expect(empty?.summary).toEqual({ newest: null, people: 0, agents: 0 });
  expect(team?.summary).toMatchObject({ people: 1, agents: 1, newest: { handle: "ann" } });
  expect(team?.summary?.newest?.content).toMatch(/^last x{195}$/u);
});

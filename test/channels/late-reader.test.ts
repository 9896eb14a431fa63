/** Readers who join a long channel late. */

import { connect, openChannel, watch } from "@continuo/core/client";
import type { NewEvent, Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer, take, words } from "./open-channel.ts";

const LOG = "channels/team";

/** Counts the events that are read from the store. */
function counting(store: Store): { readonly store: Store; readonly read: () => number } {
  let count = 0;
  const counted: Store = Object.assign(Object.create(store) as Store, {
    forWorkspace: () => counted,
    read: async (...given: Parameters<Store["read"]>) => {
      const page = await store.read(...given);
      count += page.events.length;
      return page;
    },
  });
  return { store: counted, read: () => count };
}

async function fill(store: Store, count: number): Promise<void> {
  await store.createLog({ logId: LOG });
  const events = Array.from(
    { length: count },
    (_, n): NewEvent => ({ type: "custom", data: { name: "x", n } }),
  );
  for (let at = 0; at < count; at += 1_000) await store.append(LOG, events.slice(at, at + 1_000));
}

test("no earlier event is read for a reader at the last anchor or at the end", async () => {
  await using opened = await openStore("memory:");
  await fill(opened, 5_000);
  const actor = { kind: "person", id: "ann" } as const;
  await opened.append(LOG, [{ type: "message_sent", actor, data: { content: "the last turn" } }]);
  const { store, read } = counting(opened);
  await using channel = await openChannelServer(store);
  const atAnchor = await watch({ serverUrl: channel.url, channel: "team", after: "anchor" });
  expect((await take(atAnchor, 1)).map(words)).toEqual(["ann: the last turn"]);
  const atEnd = await watch({ serverUrl: channel.url, channel: "team", after: "latest" });
  expect(read()).toBeLessThan(10);
  await atAnchor.close();
  await atEnd.close();
});

test("the server stores snapshots of a long channel while it grows, for participants who join later", async () => {
  await using opened = await openStore("memory:");
  await using first = await openChannelServer(opened);
  const writer = await first.join("writer");
  for (let from = 0; from < 1_000; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, n) => writer.send(`m${from + n}`)));
  await expect
    .poll(async () => (await opened.getLatestSnapshot({ logId: LOG, name: "channel" }))?.sequence)
    .toBeGreaterThanOrEqual(1_000);
});

test("a page that opens a channel while a message is written shows its next words as they come", async () => {
  await using opened = await openStore("memory:");
  await using channel = await openChannelServer(opened);
  const place = { serverUrl: channel.url, channel: "team" };
  const bot = await connect({ ...place, handle: "bot", type: "agent" });
  const { messageId } = await bot.openMessage();
  await bot.update(messageId, "one ");
  await using page = await openChannel({ ...place, handle: "ann" });
  const shown: string[] = [];
  // The end of the message would bring its whole text, so it is not ended.
  for await (const messages of page.messages({ signal: AbortSignal.timeout(20_000) })) {
    const content = messages.at(-1)?.content ?? "";
    shown.push(content);
    if (shown.length === 1) await bot.update(messageId, "two");
    if (content === "one two") break;
  }
  expect([shown[0], shown.at(-1)]).toEqual(["one ", "one two"]);
  await bot.close();
});

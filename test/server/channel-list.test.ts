/** The list of a workspace's channels: in pages, and with little work in each turn of the event loop. */

import type { ChannelsPage } from "@continuo/core/wire";
import { createAuthenticate } from "@continuo/server";
import { LIMITS, openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { countWork } from "../store/harness/turns.ts";
import { openServer } from "./harness/open-server.ts";

const CHANNELS = 1_200;

test("the list has each channel that the token may read once, in pages, and no turn of the event loop reads many", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  try {
    const names = Array.from({ length: CHANNELS }, (_, n) => `c${String(n).padStart(5, "0")}`);
    for (const name of names) await store.createLog({ logId: `channels/${name}` });
    const list = async (scope: string, limit: string): Promise<readonly (readonly string[])[]> => {
      const { secret } = await store.createToken({ scopes: [scope] });
      const pages: (readonly string[])[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query = new URLSearchParams({
          ...(limit === "" ? {} : { limit }),
          ...(cursor === "" ? {} : { cursor }),
        });
        const answer = await fetch(`${server.url}/v1/channels?${query}`, {
          headers: { authorization: `Bearer ${secret}` },
        });
        const page = (await answer.json()) as ChannelsPage;
        pages.push(page.channels.map(({ channel }) => channel));
        cursor = page.nextCursor;
      }
      return pages;
    };
    const all = await list("channel:*:read", "500");
    expect(all.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(all.flat()).toEqual(names);
    expect(await list("channel:c00700:read", "500")).toEqual([[], ["c00700"], []]);
    const { most, total } = await countWork(async () => {
      expect((await list("channel:*:read", "")).map(({ length }) => length)).toEqual([1_000, 200]);
    });
    // Two turns, each with the statement that exceeds its limit, because the count may begin in the middle of a turn.
    expect(most).toBeLessThanOrEqual(3 * LIMITS.turnWork);
    expect(total).toBeLessThan(2 * CHANNELS);

    // Each channel has its newest message, including the channels that changed long before the others.
    for (const name of names)
      await store.append(`channels/${name}`, [{ type: "message_sent", data: { content: `in ${name}` } }]);
    const work = await countWork(async () => {
      const answer = await fetch(`${server.url}/v1/channels?summary=true`, {
        headers: {
          authorization: `Bearer ${(await store.createToken({ scopes: ["channel:*:read"] })).secret}`,
        },
      });
      const { channels } = (await answer.json()) as ChannelsPage;
      expect(channels.map(({ summary }) => summary?.newest?.content)).toEqual(
        names.slice(0, 1_000).map((name) => `in ${name}`),
      );
    });
    expect(work.most).toBeLessThanOrEqual(3 * LIMITS.turnWork);
  } finally {
    await server.close();
  }
});

/** Frames that are too large for a server: their sender gets an error, and continues. */

import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer } from "./open-channel.ts";

/** JSON needs six bytes for each of these characters. */
const CONTROL = "\u0001";

test("a message that is too long for a frame is refused as too_large, and the next one is stored", async () => {
  await using store = await openStore("memory:");
  await using channel = await openChannelServer(store);
  const ann = await channel.join("ann");
  await expect(ann.send(CONTROL.repeat(900_000))).rejects.toMatchObject({ code: "too_large" });
  await ann.send("short");
  expect((await store.read("channels/team")).events.map(({ data }) => data)).toMatchObject([
    { content: "short" },
  ]);
});

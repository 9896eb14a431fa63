import type { NewEvent, Write } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { appendOnce } from "./deduplication.ts";

test("a batch that was stored before is stored once, and its number counts, so that the next batch follows", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const said = (id: string): NewEvent => ({ id, type: "custom", data: { name: "said", id } });
  const send = async (producerId: string, sequence: number, ...ids: readonly string[]): Promise<number> => {
    const producer: Write = { type: "producer", producerId, epoch: 0, sequence };
    const knownThrough = await store.latestSequence(sessionId);
    const stored = await appendOnce(store, sessionId, { events: ids.map(said), producer, knownThrough });
    return stored.length;
  };
  expect(await send("page", 0, "a", "b")).toBe(2);
  // The page was loaded again before it had the answer, and sends the same as another producer.
  expect(await send("page again", 0, "a", "b")).toBe(2);
  expect((await store.getProducer(sessionId, "page again"))?.sequence).toBe(0);
  expect(await send("page again", 1, "c")).toBe(1);
  const { events } = await store.read(sessionId, { types: ["custom"] });
  expect(events.map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

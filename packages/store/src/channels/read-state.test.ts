import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { LIMITS } from "./limits.ts";
import { channelLogId } from "./names.ts";
import { openChannel } from "./participants.ts";
import { ChannelStates, readState, snapshotSequence } from "./read-state.ts";

const LOG = channelLogId("team");

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
});
afterEach(async () => await store.close());

async function say(count: number): Promise<void> {
  const actor = { kind: "person", id: "ann" } as const;
  await store.append(
    LOG,
    Array.from({ length: count }, () => ({ type: "message_sent", actor, data: { content: "x" } })),
  );
}

test("a reader who asks while another one reads gets also the events that came in between", async () => {
  await say(1);
  const states = new ChannelStates();
  const first = states.read(store, "team");
  await say(1);
  const second = states.read(store, "team");
  expect((await second).sequence).toBe(2);
  await first;
});

test("a long channel has one snapshot, the newest", async () => {
  await say(LIMITS.snapshotEvents);
  await readState(store, "team");
  const first = await snapshotSequence(store, "team");
  await say(LIMITS.snapshotEvents);
  await readState(store, "team");
  expect([first, await snapshotSequence(store, "team")]).toEqual([1_000, 2_000]);
  expect(await store.getLatestSnapshot({ logId: LOG, name: "channel", atSequence: first })).toBeNull();
});

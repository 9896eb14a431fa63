import type { Store } from "@continuo/core/model";
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

/** The store, whose first page is returned only after `letGo`. */
function slowOnce(): { readonly slow: Store; readonly wasRead: Promise<void>; readonly letGo: () => void } {
  const read = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let pages = 0;
  const slow = Object.create(store, {
    read: {
      value: async (...asked: Parameters<Store["read"]>) => {
        const page = await store.read(...asked);
        pages += 1;
        if (pages > 1) return page;
        read.resolve();
        await gate.promise;
        return page;
      },
    },
  }) as Store;
  return { slow, wasRead: read.promise, letGo: gate.resolve };
}

test("a reader that asks while another one reads also gets the events that came in between", async () => {
  await say(1);
  const states = new ChannelStates();
  const { slow, wasRead, letGo } = slowOnce();
  const first = states.read(slow, "team");
  // The store has read the end of the log for the first reader, but has not returned it yet.
  await wasRead;
  await say(1);
  const second = states.read(slow, "team");
  letGo();
  expect([(await first).sequence, (await second).sequence]).toEqual([1, 2]);
});

test("channels with one name in two workspaces do not share what is read of them at the same time", async () => {
  const other = store.forWorkspace("other");
  await openChannel(other, "team");
  const actor = { kind: "agent", id: "bot" } as const;
  const begun = { type: "message_sent", id: "m", actor, data: { content: "", state: "open", writer: "i" } };
  await store.append(LOG, [begun]);
  const states = new ChannelStates();
  const { slow, wasRead, letGo } = slowOnce();
  const first = states.read(slow, "team");
  await wasRead;
  const second = states.read(other, "team");
  letGo();
  expect([Object.keys((await first).open), await second]).toEqual([["m"], { sequence: 0, open: {} }]);
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

test("a damaged snapshot is not used, and the log is read from its beginning", async () => {
  const actor = { kind: "agent", id: "bot" } as const;
  const begun = { type: "message_sent", id: "m", actor, data: { content: "", state: "open", writer: "i" } };
  await store.append(LOG, [begun]);
  await store.putSnapshot({ logId: LOG, name: "channel", sequence: 1, data: { open: 3 } });
  expect(Object.keys((await readState(store, "team")).open)).toEqual(["m"]);
});

test("after a reading that failed, the next reader reads again", async () => {
  await say(1);
  const broken = Object.create(store, {
    read: { value: () => Promise.reject(new Error("the disk is gone")) },
  }) as Store;
  const states = new ChannelStates();
  await expect(states.read(broken, "team")).rejects.toThrow("the disk is gone");
  expect((await states.read(store, "team")).sequence).toBe(1);
});

test("a state that the caller had already is not stored as a snapshot", async () => {
  await say(LIMITS.snapshotEvents);
  await readState(store, "team", { sequence: 0, open: {} });
  expect(await snapshotSequence(store, "team")).toBe(0);
});

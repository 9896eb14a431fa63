/** The session of a participant: its positions, its history, and the fence of its handle. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { type Fence, takeHandle } from "./handles.ts";
import { LIMITS } from "./limits.ts";
import { channelLogId } from "./names.ts";
import {
  clearHistory,
  commitProcessed,
  markInterrupted,
  moveReceived,
  openParticipantSession,
  readHistory,
  readParticipantSession,
  setSdkSession,
  storeMessage,
} from "./participant-session.ts";
import { openChannel } from "./participants.ts";

const ANN = { channel: "team", handle: "ann" };
const SESSION = "participant:team:ann";

let store: OpenedStore;
let fence: Fence;
beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
  await openParticipantSession(store, ANN);
  fence = await take("one");
  await store.append(channelLogId("team"), [
    { type: "message_sent", actor: { kind: "person", id: "bob" }, data: { content: "hello" } },
  ]);
});
afterEach(async () => await store.close());

async function take(instance: string): Promise<Fence> {
  const card = { instance, handle: "ann", name: "Ann", type: "agent", capabilities: [] };
  return await takeHandle(store, ANN, { card });
}

test("a participant whose handle was given to another one changes nothing of its session", async () => {
  await store.releaseLease(fence);
  await take("two");
  const place = { place: ANN, fence };
  const writes = [
    () => moveReceived(store, place, 1),
    () => commitProcessed(store, place, 1),
    () => clearHistory(store, place, "clear"),
    () => markInterrupted(store, place),
    () => setSdkSession(store, place, "agent-7"),
    () => storeMessage(store, place, { id: "a", role: "user", content: "a" }),
  ];
  for (const write of writes) await expect(write()).rejects.toMatchObject({ code: "fenced" });
  expect(await readParticipantSession(store, ANN)).toEqual({
    received: 0,
    processed: 0,
    status: "active",
    sdkSessionId: null,
  });
});

test("a participant that is active already is not recorded as active again, and a new device has received nothing", async () => {
  const before = await store.latestSequence(SESSION);
  await commitProcessed(store, { place: ANN, fence, device: "desk" }, 1);
  expect(await store.latestSequence(SESSION)).toBe(before);
  expect(await readParticipantSession(store, ANN, "phone")).toMatchObject({ received: 0, processed: 1 });
});

test("a history of several pages is in its order, and a role that every object has is refused", async () => {
  const place = { place: ANN, fence };
  const all = Array.from({ length: LIMITS.pageEvents + 200 }, (_, n) => ({
    type: "message_sent",
    data: { content: String(n), role: "user" },
  }));
  await store.append(SESSION, all, { lease: fence });
  const texts = (await readHistory(store, ANN, all.length)).map(({ content }) => Number(content));
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([all.length, 0, all.length - 1]);
  expect(texts).toEqual(texts.toSorted((a, b) => a - b));
  const entry = { id: "x", role: "toString", content: "x" };
  await expect(storeMessage(store, place, entry)).rejects.toThrow('there is no role "toString"');
});

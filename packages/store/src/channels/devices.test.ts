/** The devices of a person: the limit of their number, and which of them are removed. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { seeDevice } from "./devices.ts";
import { type Fence, takeHandle } from "./handles.ts";
import { createParticipantSession, moveReceived, readParticipantSession } from "./participant-session.ts";
import { openChannel } from "./participants.ts";

const ANN = { channel: "team", handle: "ann" };
const MOST = 32;
const DAY_MS = 86_400_000;
const START = Date.parse("2026-01-01T12:00:00Z");

let store: OpenedStore;
let fence: Fence;
beforeEach(async () => {
  store = await openStore("memory:");
  await openChannel(store, "team");
  fence = await takeHandle(store, ANN, {
    card: { instance: "x", handle: "ann", name: "Ann", type: "person", capabilities: [] },
  });
  await createParticipantSession(store, ANN);
});
afterEach(() => store.close());

const see = (device: string, days = 0): Promise<void> =>
  seeDevice(store, { place: ANN, fence, device, now: new Date(START + days * DAY_MS) });

async function seen(): Promise<readonly string[]> {
  const session = await store.getSession("participant:team:ann");
  return Object.keys(session?.metadata.devices ?? {});
}

test("one device more than the limit is refused, even if all of them connect at once", async () => {
  const all = Array.from({ length: MOST + 8 }, (_, index) => see(`device ${index}`));
  const refused = (await Promise.allSettled(all)).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(8);
  for (const one of refused) expect(one).toMatchObject({ reason: { code: "too_large" } });
  expect(await seen()).toHaveLength(MOST);
});

test("when there is no room, devices that did not connect for a month are removed with their cursors, and the others stay", async () => {
  await store.append("channels/team", [{ type: "message_sent", data: { content: "x" } }]);
  for (let index = 0; index < MOST; index++) await see(`device ${index}`);
  await moveReceived(store, { place: ANN, fence, device: "device 0" }, 1);
  await see("device 1", 20);
  await expect(see("new", 29)).rejects.toMatchObject({ code: "too_large", details: { limit: MOST } });
  expect(await readParticipantSession(store, ANN, "device 0")).toMatchObject({ received: 1 });
  await see("new", 31);
  expect(await seen()).toEqual(["device 1", "new"]);
  expect(await readParticipantSession(store, ANN, "device 0")).toMatchObject({ received: 0 });
});

test("a device that connects again on the same day causes no write", async () => {
  await see("phone");
  const before = await store.latestSequence("participant:team:ann");
  for (const name of ["phone", "phone"]) await see(name);
  expect(await store.latestSequence("participant:team:ann")).toBe(before);
  await see("__proto__");
  expect(await seen()).toEqual(["phone", "__proto__"]);
});

test("a device that did not connect for a long time stays while there is room", async () => {
  await see("phone");
  await see("laptop", 60);
  expect(await seen()).toEqual(["phone", "laptop"]);
});

test("a connection whose handle was taken from it remembers no device", async () => {
  await store.releaseLease(fence);
  await takeHandle(store, ANN, {
    card: { instance: "x", handle: "ann", name: "Ann", type: "person", capabilities: [] },
  });
  await expect(see("phone")).rejects.toMatchObject({ code: "fenced" });
  expect(await seen()).toEqual([]);
});

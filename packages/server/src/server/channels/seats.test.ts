import type { ListedLease } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Seat } from "./seat.ts";
import { Seats } from "./seats.ts";

let nowMs = 0;
let store: Awaited<ReturnType<typeof openStore>>;
let seats: Seats;

beforeEach(async () => {
  nowMs = 1_000_000;
  store = await openStore("memory:", { now: () => nowMs });
  seats = new Seats({ now: () => nowMs });
});
afterEach(() => store.close());

async function expired(): Promise<ListedLease> {
  const lease = await store.acquireLease("channel/team/bot", { owner: "x", ttlMs: 1 });
  nowMs += 1;
  return { ...lease, state: "expired" };
}

function seatOf(fence: ListedLease, isAlive: boolean): Seat {
  return new Seat({
    store,
    place: { channel: "team", handle: "bot" },
    card: { instance: "i", handle: "bot", name: "bot", type: "agent", capabilities: [] },
    fence,
    isAlive: () => isAlive,
    silentMs: () => (isAlive ? 0 : 10_000),
    onLost: () => undefined,
  });
}

test("an expired lease of a connection that is alive is renewed", async () => {
  const lease = await expired();
  seats.hold(seatOf(lease, true));
  expect(await seats.isGone(store, lease)).toBe(false);
  expect((await store.getLease(lease.name))?.token).toBe(lease.token);
});

test("a connection that is silent, or ended, is gone at once", async () => {
  const lease = await expired();
  const seat = seatOf(lease, false);
  seats.hold(seat);
  expect(await seats.isGone(store, lease)).toBe(true);
  seats.free(seat);
  expect(await seats.isGone(store, lease)).toBe(true);
});

test("a holder on another server is gone when its lease stayed expired for longer than a heartbeat", async () => {
  const lease = await expired();
  expect(await seats.isGone(store, lease)).toBe(false);
  nowMs += 3_999;
  expect(await seats.isGone(store, lease)).toBe(false);
  nowMs += 1;
  expect(await seats.isGone(store, lease)).toBe(true);
  // The lease was renewed, and expired again: this is a new observation.
  const later = { ...lease, expiresAt: new Date(nowMs).toISOString() };
  expect(await seats.isGone(store, later)).toBe(false);
});

test("an older connection of a handle does not free the newer one's seat", async () => {
  const lease = await expired();
  const older = seatOf({ ...lease, token: lease.token - 1 }, true);
  const newer = seatOf(lease, true);
  seats.hold(older);
  seats.hold(newer);
  seats.free(older);
  expect(seats.aliveOn(store, lease.name)).toBe(newer);
  expect(await seats.isGone(store, lease)).toBe(false);
});

test("a connection that left here says nothing about a later holder on another server", async () => {
  const lease = await expired();
  const left = seatOf({ ...lease, token: lease.token - 1 }, true);
  seats.hold(left);
  seats.free(left);
  expect(await seats.isGone(store, lease)).toBe(false);
});

test("a lease that no check has found for a minute is forgotten", async () => {
  const lease = await expired();
  await seats.isGone(store, lease);
  nowMs += 60_001;
  seats.forget();
  expect(await seats.isGone(store, lease)).toBe(false);
});

test("a handle that is held in one workspace is free in another one", async () => {
  const lease = await expired();
  seats.hold(seatOf(lease, true));
  expect(seats.aliveOn(store, lease.name)?.fence.token).toBe(lease.token);
  expect(seats.aliveOn(store.forWorkspace("other"), lease.name)).toBeUndefined();
});

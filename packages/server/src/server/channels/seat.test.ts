import type { ErrorCode } from "@continuo/core/model";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { type Card, leaseOf, takeHandle } from "@continuo/store/channels";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Seat } from "./seat.ts";

const PLACE = { channel: "team", handle: "robin" };
const AGENT: Card = { instance: "a", handle: "robin", name: "Robin", type: "agent", capabilities: [] };
const PERSON: Card = { ...AGENT, instance: "p", type: "person" };

interface Loss {
  readonly code: ErrorCode | null;
  readonly isTaken: boolean;
}

let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  store = await openStore("memory:", { now: () => Date.now() });
});
afterEach(async () => {
  await store.close();
  vi.useRealTimers();
});

async function takenSeat(): Promise<{ readonly seat: Seat; readonly lost: readonly Loss[] }> {
  const lost: Loss[] = [];
  const seat = new Seat({
    store,
    place: PLACE,
    card: AGENT,
    fence: await takeHandle(store, PLACE, { card: AGENT }),
    isAlive: () => true,
    silentMs: () => 0,
    onLost: ({ cause, isTaken }) => lost.push({ code: isContinuoError(cause) ? cause.code : null, isTaken }),
  });
  return { seat, lost };
}

/** A person connects under the handle, as on another server, after the lease of the agent has expired. */
async function personComes(): Promise<void> {
  await store.acquireLease(leaseOf(PLACE, PERSON), {
    owner: JSON.stringify([PERSON.instance, PERSON.name, PERSON.type, []]),
    ttlMs: 60_000,
  });
}

test("an agent whose server did not run for longer than a lease loses the handle to a person who took it", async () => {
  const { seat, lost } = await takenSeat();
  vi.advanceTimersByTime(11_000);
  await personComes();
  await seat.renew();
  expect(lost).toEqual([{ code: "fenced", isTaken: true }]);
  expect(seat.isAlive).toBe(false);
});

test("an agent whose server did not run keeps the handle if nobody took it", async () => {
  const { seat, lost } = await takenSeat();
  vi.advanceTimersByTime(11_000);
  await seat.renew();
  expect(lost).toEqual([]);
  expect(seat.isAlive).toBe(true);
});

test("while the store does not answer, a handle that was lost does not count as taken by somebody else", async () => {
  const { seat, lost } = await takenSeat();
  vi.spyOn(store, "listLeases").mockRejectedValue(new Error("the store is away"));
  vi.spyOn(store, "getLease").mockRejectedValue(new Error("the store is away"));
  await seat.lose(new ContinuoError("fenced", "the lease is not held"));
  expect(lost).toEqual([{ code: "fenced", isTaken: false }]);
});

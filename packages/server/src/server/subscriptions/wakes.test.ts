import { ContinuoError } from "@continuo/core/model";
import { formatOffset } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import {
  changeSubscription,
  insertSubscription,
  loadSubscription,
  removeSubscription,
  type Subscription,
} from "./documents.ts";
import { linkOf } from "./links.ts";
import { WakeClock } from "./wake-clock.ts";
import { acknowledge, claimWake, makeWake } from "./wakes.ts";

const LOG = "streams/a";
const SUBSCRIPTION: Subscription = {
  id: "s",
  config: {
    type: "pull-wake",
    pattern: "**",
    streams: [],
    webhookUrl: null,
    wakeStream: null,
    leaseTtlMs: 30_000,
    description: null,
  },
  explicit: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  baseUrl: "http://127.0.0.1",
  generation: 0,
  wake: null,
  status: "active",
  retries: 0,
  nextAttemptAt: null,
};

test("an acknowledgement of less than was acknowledged before is refused, and ends nothing", async () => {
  await using store = await openStore("memory:");
  const event = { type: "custom", data: { name: "e" } } as const;
  await store.createLog({ logId: LOG, events: [event, event, event] });
  await insertSubscription(store, SUBSCRIPTION);
  const link = await linkOf(store, SUBSCRIPTION, LOG);
  const pending = link === null ? [] : [link];
  const { wake, generation } = await claimWake(store, "s", { worker: "w", pending, clock: new WakeClock() });
  const acknowledged = (sequence: number, done: boolean): Promise<void> =>
    acknowledge(store, "s", {
      wakeId: wake?.id,
      generation,
      tokenGeneration: generation,
      acks: [{ path: "a", offset: formatOffset(sequence) }],
      done,
    });
  await acknowledged(2, false);
  await expect(acknowledged(1, true)).rejects.toMatchObject({ code: "INVALID_OFFSET" });
  expect((await linkOf(store, SUBSCRIPTION, LOG))?.acked).toBe(2);
  // The worker still has its wake.
  await acknowledged(3, true);
  await expect(acknowledged(3, true)).rejects.toMatchObject({ code: "FENCED" });
});

test("a subscription that was woken is not woken again before its wake has ended", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, events: [{ type: "custom", data: { name: "e" } }] });
  await insertSubscription(store, SUBSCRIPTION);
  const link = await linkOf(store, SUBSCRIPTION, LOG);
  const pending = link === null ? [] : [link];
  const [first, second] = [await makeWake(store, "s", pending), await makeWake(store, "s", pending)];
  expect([first?.generation, second]).toEqual([1, null]);
});

test("a subscription is woken although its wake stream was closed, which then gets no event", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, events: [{ type: "custom", data: { name: "e" } }] });
  await store.createLog({ logId: "streams/wakes", mediaType: "application/json" });
  await store.closeLog("streams/wakes");
  const config = { ...SUBSCRIPTION.config, wakeStream: "wakes" };
  await insertSubscription(store, { ...SUBSCRIPTION, config });
  const link = await linkOf(store, SUBSCRIPTION, LOG);
  const woken = await makeWake(store, "s", link === null ? [] : [link]);
  expect(woken?.wake?.snapshot).toEqual({ a: 1 });
  expect(await store.latestSequence("streams/wakes")).toBe(0);
});

test("a worker whose lease expired cannot acknowledge after another worker took the wake", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, events: [{ type: "custom", data: { name: "e" } }] });
  await insertSubscription(store, SUBSCRIPTION);
  const link = await linkOf(store, SUBSCRIPTION, LOG);
  let nowMs = 0;
  const claim = { pending: link === null ? [] : [link], clock: new WakeClock(() => nowMs) };
  const late = await claimWake(store, "s", { worker: "late", ...claim });
  await expect(claimWake(store, "s", { worker: "next", ...claim })).rejects.toMatchObject({
    code: "ALREADY_CLAIMED",
  });
  nowMs += 30_000;
  const next = await claimWake(store, "s", { worker: "next", ...claim });
  expect(next.generation).toBe(late.generation + 1);
  const { wake, generation } = late;
  const acked = acknowledge(store, "s", {
    wakeId: wake?.id,
    generation,
    tokenGeneration: generation,
    acks: [{ path: "a", offset: formatOffset(1) }],
    done: true,
  });
  await expect(acked).rejects.toMatchObject({ code: "FENCED" });
  expect((await linkOf(store, SUBSCRIPTION, LOG))?.acked).toBeNull();
});

test("the token of an earlier wake acknowledges nothing of the present one, even with its id and generation", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, events: [{ type: "custom", data: { name: "e" } }] });
  await insertSubscription(store, SUBSCRIPTION);
  const link = await linkOf(store, SUBSCRIPTION, LOG);
  const claim = { worker: "w", pending: link === null ? [] : [link], clock: new WakeClock() };
  const { wake, generation } = await claimWake(store, "s", claim);
  const acks = [{ path: "a", offset: formatOffset(1) }];
  const acknowledged = (tokenGeneration: number): Promise<void> =>
    acknowledge(store, "s", { wakeId: wake?.id, generation, tokenGeneration, acks, done: true });
  await expect(acknowledged(generation - 1)).rejects.toMatchObject({ code: "FENCED" });
  expect((await linkOf(store, SUBSCRIPTION, LOG))?.acked).toBeNull();
  await acknowledged(generation);
});

test("each acknowledgement of a worker that is not done renews the lease of its wake", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, events: [{ type: "custom", data: { name: "e" } }] });
  await insertSubscription(store, SUBSCRIPTION);
  const link = await linkOf(store, SUBSCRIPTION, LOG);
  const claim = { worker: "w", pending: link === null ? [] : [link], clock: new WakeClock() };
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const { wake, generation } = await claimWake(store, "s", claim);
    vi.setSystemTime(Date.now() + 20_000);
    const given = { wakeId: wake?.id, generation, tokenGeneration: generation, acks: [], done: false };
    await acknowledge(store, "s", given);
    const renewed = (await loadSubscription(store, "s"))?.subscription.wake;
    expect([renewed?.id, renewed?.leaseUntil]).toEqual([wake?.id, (wake?.leaseUntil ?? 0) + 20_000]);
  } finally {
    vi.useRealTimers();
  }
});

test("a change and a removal that lose every race against other servers are refused, and not confirmed", async () => {
  await using store = await openStore("memory:");
  await insertSubscription(store, SUBSCRIPTION);
  const append = vi.spyOn(store, "append").mockRejectedValue(new ContinuoError("fenced", "changed first"));
  const change = changeSubscription(store, "s", async (subscription) => ({ subscription, result: null }));
  await expect(change).rejects.toMatchObject({ code: "FENCED" });
  await expect(removeSubscription(store, "s")).rejects.toMatchObject({ code: "FENCED" });
  append.mockRestore();
  expect(await loadSubscription(store, "s")).not.toBeNull();
  await removeSubscription(store, "s");
  expect(await loadSubscription(store, "s")).toBeNull();
});

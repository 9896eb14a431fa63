import { openStore } from "@continuo/store";
import { afterEach, expect, test, vi } from "vitest";
import { takeAttempt } from "./deliveries.ts";
import { insertSubscription, loadSubscription, type Subscription } from "./documents.ts";
import { retryDelayMs, WakeClock } from "./wake-clock.ts";
import { claimWake, expireWake } from "./wakes.ts";

afterEach(() => void vi.restoreAllMocks());

const TTL_MS = 30_000;
const JUMP_MS = 86_400_000;
const LINK = { logId: "streams/a", path: "a", acked: null, tail: 1, isExplicit: true };
const WAKE = { id: "w_8000000000", holder: null, leaseUntil: null, snapshot: {} };

function subscription(more: Partial<Subscription>): Subscription {
  const config = { type: "pull-wake", pattern: "**", leaseTtlMs: TTL_MS, wakeStream: null, webhookUrl: null };
  return {
    id: "s",
    config: config as unknown as Subscription["config"],
    explicit: [],
    createdAt: "2026-01-01T00:00:00.000Z",
    baseUrl: "http://127.0.0.1",
    generation: 1,
    wake: WAKE,
    status: "active",
    retries: 0,
    nextAttemptAt: null,
    ...more,
  };
}

/** A clock of the test, and a time of day that jumps. */
function clocks(): { readonly clock: WakeClock; pass(ms: number): void; jump(ms: number): void } {
  let monotonicMs = 0;
  let dayMs = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => dayMs);
  return {
    clock: new WakeClock(() => monotonicMs),
    pass: (ms) => {
      monotonicMs += ms;
      dayMs += ms;
    },
    jump: (ms) => {
      dayMs += ms;
    },
  };
}

test.each([JUMP_MS, -JUMP_MS])(
  "a worker keeps its wake for its whole lease when the system time changes by %d ms",
  async (ms) => {
    await using store = await openStore("memory:");
    const { clock, pass, jump } = clocks();
    await insertSubscription(store, subscription({}));
    const claim = (worker: string): Promise<Subscription> =>
      claimWake(store, "s", { worker, pending: [LINK as never], clock });
    expect((await claim("first")).wake?.holder).toBe("first");
    jump(ms);
    pass(TTL_MS - 1);
    await expect(claim("second")).rejects.toMatchObject({ code: "ALREADY_CLAIMED" });
    await expireWake(store, "s", { wakeId: WAKE.id, clock });
    expect((await loadSubscription(store, "s"))?.subscription.wake?.holder).toBe("first");
    pass(1);
    expect((await claim("second")).wake?.holder).toBe("second");
  },
);

test.each([JUMP_MS, -JUMP_MS])(
  "a webhook is tried again on time when the system time changes by %d ms",
  async (ms) => {
    await using store = await openStore("memory:");
    const { clock, pass, jump } = clocks();
    const failed = subscription({ retries: 3, status: "failed", nextAttemptAt: Date.now() + 4_000 });
    await insertSubscription(store, failed);
    const take = (): Promise<Subscription | null> => takeAttempt(store, "s", { wakeId: WAKE.id, clock });
    expect(await take()).toBeNull();
    jump(ms);
    const delayMs = retryDelayMs(3, WAKE.id);
    expect(Math.abs(delayMs - 4_000)).toBeLessThan(10);
    pass(delayMs - 1);
    expect(await take()).toBeNull();
    pass(1);
    expect(await take()).toMatchObject({ nextAttemptAt: null });
  },
);

test("a wake that another server renewed lasts for another lease", () => {
  const { clock, pass } = clocks();
  const held = (leaseUntil: number): Subscription =>
    subscription({ wake: { ...WAKE, holder: "w", leaseUntil } });
  expect(clock.isHeld("w", held(1))).toBe(true);
  pass(TTL_MS);
  expect([clock.isHeld("w", held(1)), clock.isHeld("other", held(1)), clock.isHeld("w", held(2))]).toEqual([
    false,
    true,
    true,
  ]);
});

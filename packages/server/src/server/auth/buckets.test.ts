import { isContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { Buckets } from "./buckets.ts";

/** The wait that a refusal names; `null` if the client is accepted. */
function waitOf(buckets: Buckets, name: string, now: number): number | null {
  try {
    buckets.take(name, now);
    return null;
  } catch (error) {
    if (!isContinuoError(error, "rate_limited")) throw error;
    return Number(error.details.retryAfterMs);
  }
}

test("a client that waits as long as its refusal says is accepted, and a client that waits less is not", () => {
  const buckets = new Buckets({ perSecond: 2, burst: 3 });
  expect([0, 0, 0].map((now) => waitOf(buckets, "ann", now))).toEqual([null, null, null]);
  const wait = waitOf(buckets, "ann", 0) ?? 0;
  expect(wait).toBe(500);
  expect(waitOf(buckets, "ann", wait - 1)).not.toBeNull();
  expect(waitOf(buckets, "ann", wait)).toBeNull();
});

test("requests that already happened delay later ones until the bucket is no longer overdrawn", () => {
  const buckets = new Buckets({ perSecond: 2, burst: 3 });
  expect(buckets.spend("ann", 0, 3)).toBe(0);
  expect(buckets.spend("ann", 0, 4)).toBe(2_000);
  expect(waitOf(buckets, "bob", 0)).toBeNull();
});

/** Token buckets, one for each name, in bounded memory. */

import { ContinuoError } from "@continuo/core/model";

const MAX_NAMES = 10_000;

interface Bucket {
  level: number;
  at: number;
}

export interface BucketOptions {
  readonly perSecond: number;
  readonly burst: number;
  /** The message of the error. */
  readonly message?: string;
}

export class Buckets {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #message: string;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perSecond, burst, message = "the token made too many requests" }: BucketOptions) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#message = message;
  }

  /**
   * A bucket that is not empty gives any amount, so that a large request passes; later requests wait until the bucket
   * is filled again. Errors: `rate_limited` (`details.retryAfterMs`).
   */
  take(name: string, now: number, amount = 1): void {
    this.assert(name, now).level -= amount;
  }

  /**
   * Takes the amount for a request that already happened, without a check. Returns the milliseconds until the bucket is
   * no longer overdrawn.
   */
  spend(name: string, now: number, amount = 1): number {
    const bucket = this.#bucketOf(name, now);
    bucket.level -= amount;
    return Math.max(0, Math.ceil((-bucket.level * 1000) / this.#perSecond));
  }

  /** Makes the check of `take`, but takes nothing. */
  assert(name: string, now: number): Bucket {
    const bucket = this.#bucketOf(name, now);
    if (bucket.level >= 1) return bucket;
    throw new ContinuoError("rate_limited", this.#message, {
      details: { retryAfterMs: Math.ceil(((1 - bucket.level) * 1000) / this.#perSecond) },
    });
  }

  #bucketOf(name: string, now: number): Bucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) {
      known.level = Math.min(
        this.#burst,
        known.level + (Math.max(0, now - known.at) * this.#perSecond) / 1000,
      );
      known.at = now;
      return known;
    }
    if (this.#buckets.size >= MAX_NAMES) this.#removeFull(now);
    const made = { level: this.#burst, at: now };
    this.#buckets.set(name, made);
    return made;
  }

  /**
   * A full bucket contains no information, so it is removed. If there is no room for another bucket, the oldest are
   * also removed.
   */
  #removeFull(now: number): void {
    const fullAfterMs = (this.#burst * 1000) / this.#perSecond;
    for (const [name, { at }] of this.#buckets) if (now - at > fullAfterMs) this.#buckets.delete(name);
    for (const name of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_NAMES) return;
      this.#buckets.delete(name);
    }
  }
}

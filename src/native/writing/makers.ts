/** Clocks, ids and randomness for what is written. */

import { randomBytes } from "node:crypto";
import { createIds } from "../../model/index.ts";
import type { Makers } from "./writer.ts";

/** The clock and the randomness of this process. */
export function makersOfNow(): Makers {
  const take = createPool();
  const random = (bytes: Uint8Array): void => bytes.set(take(bytes.length));
  return {
    now: Date.now,
    uuid: createIds({ now: Date.now, random }),
    hex: (digits) =>
      take(Math.ceil(digits / 2))
        .toString("hex")
        .slice(0, digits),
  };
}

const POOL_BYTES = 4096;

/** Asking the system for a few bytes costs as much as for many; each byte is given once. */
function createPool(): (count: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (count) => {
    if (pool.length < count) pool = randomBytes(Math.max(POOL_BYTES, count));
    const taken = pool.subarray(0, count);
    pool = pool.subarray(count);
    return taken;
  };
}

export interface RecordedMakers extends Makers {
  /** What is made from here on is made again after a `rewind`. */
  mark(): void;
  rewind(): void;
}

/** Makes the same things again: what is written twice is the same twice. */
export function recordMakers(makers: Makers): RecordedMakers {
  const made: (string | number)[] = [];
  let at = 0;
  const again = <T extends string | number>(make: () => T): T => {
    if (at === made.length) made.push(make());
    const value = made[at] as T;
    at += 1;
    return value;
  };
  return {
    now: () => again(makers.now),
    uuid: () => again(makers.uuid),
    hex: (digits) => again(() => makers.hex(digits)),
    mark() {
      made.length = 0;
      at = 0;
    },
    rewind() {
      at = 0;
    },
  };
}

/** Clocks, ids and randomness for new records. */

import { createCipheriv, randomBytes } from "node:crypto";
import { createIds } from "@continuo/core/model";
import type { Makers } from "./writer.ts";

/** The clock and the randomness of this process. */
export function makersOfNow(): Makers {
  return makersOf(Date.now, createPool(randomBytes));
}

function makersOf(now: () => number, take: (count: number) => Buffer): Makers {
  const random = (bytes: Uint8Array): void => bytes.set(take(bytes.length));
  return {
    now,
    uuid: createIds({ now, random }),
    uuid4: () => toUuid4(take(16)),
    hex: (digits) =>
      take(Math.ceil(digits / 2))
        .toString("hex")
        .slice(0, digits),
  };
}

/** Writes the version and the variant of RFC 9562 into two of the random bytes. */
function toUuid4(random: Buffer): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

const POOL_BYTES = 4096;

/** Requests many bytes in advance, because a request for a few costs as much. Each byte is used once. */
function createPool(fill: (count: number) => Buffer): (count: number) => Buffer {
  let pool: Buffer = Buffer.alloc(0);
  return (count) => {
    if (pool.length < count) pool = fill(Math.max(POOL_BYTES, count));
    const taken = pool.subarray(0, count);
    pool = pool.subarray(count);
    return taken;
  };
}

/** Fixes the clock and the randomness: each call of the result returns makers that make the same values again. */
export function freezeMakers(makers: Makers): () => Makers {
  const seed = Buffer.from(makers.hex(2 * SEED_BYTES), "hex");
  const nowMs = makers.now();
  return () => {
    const stream = createCipheriv("aes-256-ctr", seed, Buffer.alloc(16));
    return makersOf(
      () => nowMs,
      createPool((count) => stream.update(Buffer.alloc(count))),
    );
  };
}

const SEED_BYTES = 32;

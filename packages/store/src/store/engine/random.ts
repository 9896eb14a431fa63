/** Random bytes for ids, fetched from the system many at a time: a call for each id costs more than the id. */

import { randomFillSync } from "node:crypto";

const pool = Buffer.allocUnsafe(4_096);
let used = pool.length;

/** Fills the bytes and returns them. Not for secrets: the pool stays in memory. */
export function fillRandom<T extends Uint8Array>(bytes: T): T {
  if (used + bytes.length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  bytes.set(pool.subarray(used, used + bytes.length));
  used += bytes.length;
  return bytes;
}

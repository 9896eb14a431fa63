/** Random bytes for ids, from a pool, because a call of the system for each id would cost more than the id. */

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

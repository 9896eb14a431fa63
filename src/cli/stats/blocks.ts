/**
 * Blocks of five hours, as subscription limits count them: a block begins with the hour of its first call, and a call
 * after its end begins the next one. Pure.
 */

export const BLOCK_HOURS = 5;

const HOUR_MS = 60 * 60 * 1000;
const HOUR_CHARS = "2026-01-31T09".length;

/**
 * Maps each hour (`2026-01-31T09`, UTC) to the first hour of its block.
 *
 * @param hours in any order; `null` for an unknown hour
 */
export function blocksOf(hours: readonly (string | null)[]): ReadonlyMap<string, string> {
  const blocks = new Map<string, string>();
  let begin = Number.NEGATIVE_INFINITY;
  for (const hour of [...new Set(hours)].filter((one) => one !== null).sort()) {
    const at = Date.parse(`${hour}:00:00Z`);
    if (Number.isNaN(at)) continue;
    if (at >= begin + BLOCK_HOURS * HOUR_MS) begin = at;
    blocks.set(hour, new Date(begin).toISOString().slice(0, HOUR_CHARS));
  }
  return blocks;
}

/** Milliseconds until the block ends; `null` if it has ended. */
export function leftOfBlock(begin: string, now: Date): number | null {
  const left = Date.parse(`${begin}:00:00Z`) + BLOCK_HOURS * HOUR_MS - now.getTime();
  return left > 0 ? left : null;
}

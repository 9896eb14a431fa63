/** Pseudo-random numbers, which are the same for the same seed. */

export interface Random {
  /** Returns an integer from 0 up to, but not including, `count`. */
  below(count: number): number;
  chance(likelihood: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (count) => Math.floor(next() * count),
    chance: (likelihood) => next() < likelihood,
    pick: (values) => values[Math.floor(next() * values.length)] as never,
  };
}

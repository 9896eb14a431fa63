/** Pseudo-random numbers, which are the same for the same seed. */

export interface Random {
  /** Returns an integer from 0 up to, but not including, `count`. */
  below(count: number): number;
  chance(likelihood: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** Returns numbers from 0 up to, but not including, 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createRandom(seed: number): Random {
  const next = randomFrom(seed);
  return {
    below: (count) => Math.floor(next() * count),
    chance: (likelihood) => next() < likelihood,
    pick: (values) => values[Math.floor(next() * values.length)] as never,
  };
}

/** `count` different elements in random order, or all of them. */
export function drawFrom<T>(all: readonly T[], count: number, random: () => number): readonly T[] {
  const left = [...all];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return drawn;
}

/** TextRank: sentences that share words recommend each other. Pure. */

const DAMPING = 0.85;
const ROUNDS = 30;

/** One rank for each sentence; the average is 1. Only sentences that share a word are compared. */
export function rankOf(sets: readonly ReadonlySet<string>[]): readonly number[] {
  const links = linksOf(sets);
  const sums = links.map((own) => own.reduce((sum, { likeness }) => sum + likeness, 0));
  let ranks = sets.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    ranks = links.map((own) => {
      let given = 0;
      for (const { to, likeness } of own) given += ((ranks[to] ?? 0) * likeness) / (sums[to] ?? 1);
      return 1 - DAMPING + DAMPING * given;
    });
  }
  return ranks;
}

interface Link {
  readonly to: number;
  readonly likeness: number;
}

/** For each sentence the others that have words of it, in their order. */
function linksOf(sets: readonly ReadonlySet<string>[]): readonly (readonly Link[])[] {
  const places = new Map<string, number[]>();
  for (const [n, set] of sets.entries()) {
    for (const term of set) {
      const known = places.get(term);
      if (known === undefined) places.set(term, [n]);
      else known.push(n);
    }
  }
  return sets.map((set, n) => {
    const common = new Map<number, number>();
    for (const term of set) {
      for (const m of places.get(term) ?? []) if (m !== n) common.set(m, (common.get(m) ?? 0) + 1);
    }
    return [...common]
      .map(([to, count]) => ({
        to,
        likeness: count / (Math.log(1 + set.size) + Math.log(1 + (sets[to]?.size ?? 0))),
      }))
      .sort((a, b) => a.to - b.to);
  });
}

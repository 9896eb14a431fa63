/** TextRank: sentences that share words recommend each other. Pure. */

const DAMPING = 0.85;
const ROUNDS = 30;

/** One rank for each sentence; the average is 1. */
export function rankOf(sets: readonly ReadonlySet<string>[]): readonly number[] {
  const weights = sets.map((a, n) => sets.map((b, m) => (n === m ? 0 : likenessOf(a, b))));
  const sums = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  let ranks = sets.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    ranks = ranks.map((_, n) => {
      const given = ranks.reduce((sum, rank, m) => {
        const all = sums[m] ?? 0;
        return all === 0 ? sum : sum + (rank * (weights[m]?.[n] ?? 0)) / all;
      }, 0);
      return 1 - DAMPING + DAMPING * given;
    });
  }
  return ranks;
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((term) => b.has(term)).length;
  return common === 0 ? 0 : common / (Math.log(1 + a.size) + Math.log(1 + b.size));
}

/**
 * The thresholds of embedders: the lowest cosine of texts with the same meaning, and the highest of texts with
 * different meanings.
 */

import { cosineOf, type Embedder, lexicalEmbedder } from "@continuo/live";
import { expect, test } from "vitest";

/** Pairs of notes on the same moment that say the same. */
const SAME: readonly (readonly [string, string])[] = [
  ["The harbour was built in 1872.", "The harbour was built in 1872, when the river mouth silted up."],
  ["The lighthouse owner lit the lamp at dusk.", "At dusk the owner of the lighthouse lit the lamp."],
  [
    "The stone came from a quarry nine kilometres inland.",
    "Engineers took stone from a quarry nine kilometres inland.",
  ],
  [
    "A narrow railway carried the stone to the coast.",
    "The stone was carried to the coast by a narrow railway.",
  ],
  ["Der Hafen wurde 1872 gebaut.", "Im Jahr 1872 wurde der Hafen gebaut."],
  ["Le port ouvre à l'aube.", "À l'aube, le port ouvre."],
  ["Storms in winter broke two piers.", "Two piers were broken by storms in winter."],
  ["Ships were unloaded by hand until the cranes came.", "Until cranes came, ships were unloaded by hand."],
];

/** Pairs of notes on one subject that say different things. */
const OTHER: readonly (readonly [string, string])[] = [
  ["The harbour was built in 1872.", "Two stone piers keep the sand out of the harbour."],
  ["The lighthouse owner lit the lamp at dusk.", "The lighthouse was painted red and white."],
  ["The stone came from a quarry inland.", "The bridge of the railway still stands."],
  ["A narrow railway carried the stone to the coast.", "A narrow street leads from the market to the quay."],
  ["Der Hafen wurde 1872 gebaut.", "Der Hafen öffnet bei Tagesanbruch."],
  ["Le port ouvre à l'aube.", "Le port a deux phares."],
  ["Storms in winter broke two piers.", "Fishing boats stay in the harbour in winter."],
  ["Ships were unloaded by hand until the cranes came.", "Ships from the north brought timber and tar."],
];

async function cosines(
  embedder: Embedder,
  pairs: readonly (readonly [string, string])[],
): Promise<readonly number[]> {
  return Promise.all(
    pairs.map(async (pair) => {
      const [a = [], b = []] = await embedder.embed(pair, {});
      return cosineOf(a, b);
    }),
  );
}

test("the threshold of the lexical embedder separates texts that say the same from texts that do not", async () => {
  const embedder = lexicalEmbedder();
  const lowest = Math.min(...(await cosines(embedder, SAME)));
  const highest = Math.max(...(await cosines(embedder, OTHER)));
  console.info(`lexical: same from ${lowest.toFixed(3)}, different up to ${highest.toFixed(3)}`);
  expect(lowest).toBeGreaterThanOrEqual(embedder.threshold);
  expect(highest).toBeLessThan(embedder.threshold);
});

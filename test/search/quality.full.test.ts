/** The quality of the search on made-up conversations; `npm run bench -- quality` asks all questions. */

import { expect, test } from "vitest";
import { CLASSES } from "../../bench/quality/haystack.ts";
import { measureQuality } from "../../bench/quality/measure.ts";

test("in each class of questions the right session comes first at least 5 points more often than with plain BM25", async () => {
  const { hits, questions } = await measureQuality("LongMemEval-S", [3], 100);
  expect(questions).toBe(100);
  const shareOf = (engine: string, one: (typeof CLASSES)[number]): number => hits.get(engine)?.get(one) ?? 0;
  for (const one of CLASSES) {
    const best = Math.max(shareOf("BM25 of sessions", one), shareOf("BM25 of turns", one));
    expect(shareOf("continuo", one), one).toBeGreaterThanOrEqual(best + 0.05);
  }
});

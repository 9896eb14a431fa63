/** Key sentences of chapters that are far longer than any thought. */

import { expect, test } from "vitest";
import type { Sentence } from "../sentences/index.ts";
import { LIMITS } from "./limits.ts";
import { keySentencesOf } from "./note.ts";
import { rankOf } from "./rank.ts";

function sentence(text: string, n: number): Sentence {
  const startMs = n * 4_000;
  return { text, startMs, endMs: startMs + 3_500, lang: "en", kind: "speech", isTurn: false, pieces: [n] };
}

test("the key sentences of a chapter of many hours are about its subject, and are found without a comparison of all pairs", () => {
  const spoken = Array.from({ length: 20_000 }, (_, n) =>
    n % 100 === 0
      ? sentence(`The keeper ${n} of the lighthouse trims the lamp before the storm.`, n)
      : sentence(`Q${n}a and q${n}b are in q${n}c.`, n),
  );
  const [first, second, ...others] = keySentencesOf(spoken, 2);
  expect(others).toEqual([]);
  for (const { text } of [first, second].flatMap((one) => one ?? [])) expect(text).toContain("lighthouse");
  expect(spoken.length).toBeGreaterThan(50 * LIMITS.comparedSentences);
});

test("the rank of a sentence comes from its neighbours, and a sentence that shares no word has the lowest rank", () => {
  const ranks = rankOf([
    new Set(["lamp", "oil"]),
    new Set(["lamp", "storm"]),
    new Set(["storm", "oil", "lamp"]),
    new Set(["bread"]),
  ]);
  const [a = 0, b = 0, most = 0, least = 0] = ranks;
  expect(most).toBeGreaterThan(Math.max(a, b));
  expect(a).toBeCloseTo(b);
  expect(least).toBeCloseTo(0.15);
  expect(a + b + most).toBeCloseTo(3);
});

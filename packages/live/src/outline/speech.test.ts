import { expect, test } from "vitest";
import { spokenSentences } from "./speech.ts";
import type { SpokenPiece } from "./types.ts";

test("a piece that is heard again is compared only with those around its time, however long the talk is", () => {
  let reads = 0;
  const piece = (n: number, sequence: number): SpokenPiece => ({
    sequence,
    text: `Sentence ${n} is about boats.`,
    lang: "en",
    endMs: n * 3_000 + 2_500,
    get startMs() {
      reads++;
      return n * 3_000;
    },
  });
  const count = 1_500;
  const pieces = [0, 1].flatMap((part) =>
    Array.from({ length: count }, (_, n) => piece(n, part * count + n + 1)),
  );
  const steps = spokenSentences(pieces);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  // The second part repeats the first one.
  expect(step.value).toHaveLength(count);
  expect(reads / pieces.length).toBeLessThan(60);
});

import type { Passage } from "@continuo/native/index-file";
import { expect, test } from "vitest";
import { toBestMatch } from "./best-match.ts";
import { closenessOf } from "./closeness.ts";
import { parseQuery } from "./query.ts";

const MATCH = toBestMatch(parseQuery("cache keys", { toTime: (time) => time }), 0);

function closeness(text: string, voice: Passage["voice"] = "person"): number {
  if (MATCH === null) throw new Error("these are two words");
  return closenessOf([{ voice, messageId: "m1", text }], { match: MATCH, rarity: MATCH.terms.map(() => 1) });
}

test("words in one sentence are closer than in two, and a statement is closer than a question", () => {
  expect(closeness("The cache has keys.")).toBe(1);
  expect(closeness("The cache is old. Keys are new.")).toBe(0.5);
  expect(closeness("Does the cache have keys?")).toBeCloseTo(0.7);
  expect(closeness("The cache has keys.", "result")).toBeCloseTo(0.6);
});

test("a name in code that has the words is closer than a sentence, in any way of writing", () => {
  for (const name of ["cacheKeys", "cache_keys", "readCacheKeys(1)"]) {
    expect(closeness(name, "call"), name).toBeCloseTo(1.2);
  }
});

test("a long run of letters or digits takes as little time as other text", () => {
  const started = performance.now();
  for (const run of ["a".repeat(50_000), "a1".repeat(25_000), `${"a".repeat(49_000)}_b`]) {
    expect(closeness(`${run} cacheKeys`), run.slice(0, 4)).toBeLessThan(2);
  }
  // Each would take seconds if it were tried as a name from each of its characters.
  expect(performance.now() - started).toBeLessThan(2_000);
});

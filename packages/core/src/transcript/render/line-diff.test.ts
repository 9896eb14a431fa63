import fc from "fast-check";
import { expect, test } from "vitest";
import { commonLines } from "./line-diff.ts";

const keptOf = (lines: readonly string[], kept: Uint8Array): readonly string[] =>
  lines.filter((_, at) => kept[at] === 1);

/** The length of the longest common subsequence, computed by its definition. */
function longest(old: readonly string[], fresh: readonly string[]): number {
  let row = new Array<number>(fresh.length + 1).fill(0);
  for (const line of old) {
    const next = [0];
    for (const [at, other] of fresh.entries()) {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(next[at] ?? 0, row[at + 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("the common lines are the same in both texts, and there are as many as there can be", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 40 });
  fc.assert(
    fc.property(lines, lines, (old, fresh) => {
      const common = commonLines(old, fresh);
      const kept = keptOf(old, common.old);
      expect(keptOf(fresh, common.fresh)).toEqual(kept);
      expect(kept).toHaveLength(longest(old, fresh));
    }),
  );
});

test("a hundred changed lines of twenty thousand are found, and no other line counts as changed", () => {
  const old = Array.from({ length: 20_000 }, (_, at) => (at % 3 === 0 ? "}" : `line ${at}`));
  const fresh = old.map((line, at) => (at % 200 === 1 ? `${line} changed` : line));
  const common = commonLines(old, fresh);
  expect(old.length - keptOf(old, common.old).length).toBe(100);
  expect(fresh.length - keptOf(fresh, common.fresh).length).toBe(100);
});

test("texts that share their lines but not the order are compared in bounded time, and roughly", () => {
  const old = Array.from({ length: 20_000 }, (_, at) => `line ${(at * 7_919) % 5_000}`);
  const fresh = Array.from({ length: 20_000 }, (_, at) => `line ${(at * 104_729) % 5_003}`);
  const begun = performance.now();
  const common = commonLines(old, fresh);
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(keptOf(fresh, common.fresh)).toEqual(keptOf(old, common.old));
  expect(keptOf(old, common.old).length).toBeGreaterThan(0);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { cosineOf, overlapOf } from "./similarity.ts";

const span = fc
  .tuple(fc.nat(10_000), fc.nat(10_000))
  .map(([startMs, lengthMs]) => ({ startMs, endMs: startMs + lengthMs }));
const vector = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 3, maxLength: 3 });

test("overlap is the share of the shorter span that is in the other, and a point is either inside or outside", () => {
  expect(overlapOf({ startMs: 0, endMs: 100 }, { startMs: 50, endMs: 1_000 })).toBe(0.5);
  expect(overlapOf({ startMs: 0, endMs: 100 }, { startMs: 101, endMs: 200 })).toBe(0);
  expect(overlapOf({ startMs: 0, endMs: 100 }, { startMs: 100, endMs: 200 })).toBe(0);
  expect(overlapOf({ startMs: 100, endMs: 100 }, { startMs: 0, endMs: 100 })).toBe(1);
  expect(overlapOf({ startMs: 7, endMs: 7 }, { startMs: 7, endMs: 7 })).toBe(1);
  expect(overlapOf({ startMs: 7, endMs: 7 }, { startMs: 8, endMs: 8 })).toBe(0);
});

test("overlap and cosine are symmetric and bounded, and are 1 for two equal values", () => {
  fc.assert(
    fc.property(span, span, (a, b) => {
      const overlap = overlapOf(a, b);
      expect(overlap).toBe(overlapOf(b, a));
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(overlap).toBeLessThanOrEqual(1);
      expect(overlapOf(a, a)).toBe(1);
    }),
  );
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      expect(cosineOf(a, b)).toBe(cosineOf(b, a));
      expect(Math.abs(cosineOf(a, b))).toBeLessThanOrEqual(1);
      if (a.some((n) => n !== 0)) expect(cosineOf(a, a)).toBeCloseTo(1);
    }),
  );
  expect([cosineOf([], []), cosineOf([1], [1, 0]), cosineOf([0, 0], [1, 0])]).toEqual([0, 0, 0]);
});

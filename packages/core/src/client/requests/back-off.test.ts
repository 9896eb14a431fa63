import { expect, test } from "vitest";
import { backOffMs } from "./back-off.ts";

const PAUSES = { firstMs: 100, longestMs: 30_000 };

test("each pause is twice as long as the one before, up to 30 s", () => {
  const pauses = Array.from({ length: 12 }, (_, tries) => backOffMs(tries, PAUSES, 1));
  expect(pauses.slice(0, 4)).toEqual([100, 200, 400, 800]);
  expect(pauses.slice(-2)).toEqual([30_000, 30_000]);
  expect(backOffMs(100_000, PAUSES, 1)).toBe(30_000);
});

test("a pause is shortened at random by up to half", () => {
  expect(backOffMs(3, PAUSES, 0)).toBe(400);
  expect(backOffMs(3, PAUSES, 0.5)).toBe(600);
});

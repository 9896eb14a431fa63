import { expect, test } from "vitest";
import { RecentNames } from "./recent-names.ts";

test("a name is new again after the time, and only names that were used within it are kept", () => {
  let nowMs = 0;
  const recent = new RecentNames(1_000, () => nowMs);
  expect([recent.isNew("first"), recent.isNew("first")]).toEqual([true, false]);
  nowMs = 999;
  expect(recent.isNew("first")).toBe(false);
  nowMs = 1_000;
  expect(recent.isNew("first")).toBe(true);
  for (let n = 0; n < 500; n++) {
    nowMs += 100;
    recent.isNew(`session ${n}`);
  }
  expect(recent.size).toBe(10);
});

test("a name that is used repeatedly within the time is new only once", () => {
  let nowMs = 0;
  const recent = new RecentNames(1_000, () => nowMs);
  const found = Array.from({ length: 40 }, () => {
    nowMs += 100;
    return recent.isNew("session");
  });
  expect(found.filter(Boolean)).toHaveLength(4);
});

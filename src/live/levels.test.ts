import fc from "fast-check";
import { expect, test } from "vitest";
import { nextLevel } from "./levels.ts";
import type { Level } from "./types.ts";

test("levels rise at 50 and 100, and hold until the depth is below 25", () => {
  const depths = [0, 49, 50, 99, 100, 60, 25, 24, 30, 49, 51, 26, 24];
  const levels: Level[] = [];
  let level: Level = "normal";
  for (const depth of depths) {
    level = nextLevel(level, depth);
    levels.push(level);
  }
  expect(levels).toEqual([
    "normal",
    "normal",
    "warning",
    "warning",
    "critical",
    "critical",
    "critical",
    "normal",
    "normal",
    "normal",
    "warning",
    "warning",
    "normal",
  ]);
});

test("for any walk of the depth, the level is that of the highest depth since it was last below 25", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(150), { minLength: 1 }), (depths) => {
      let level: Level = "normal";
      let highest = 0;
      for (const depth of depths) {
        level = nextLevel(level, depth);
        highest = depth < 25 ? 0 : Math.max(highest, depth);
        expect(level).toBe(highest >= 100 ? "critical" : highest >= 50 ? "warning" : "normal");
      }
    }),
  );
});

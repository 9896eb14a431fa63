import { expect, test } from "vitest";
import { withRoom } from "./columns.ts";

test("a column with enough space stays the same", () => {
  const column = new Int32Array(4);
  expect(withRoom(column, 3)).toBe(column);
});

test("a full column is copied into a larger one, whose new part is empty", () => {
  const column = Int32Array.of(1, 2);
  const larger = withRoom(column, 2, -1);
  expect([...larger.subarray(0, 4)]).toEqual([1, 2, -1, -1]);
  expect(withRoom(larger, 1000).length).toBeGreaterThan(1000);
});

test("a column keeps its kind", () => {
  expect(withRoom(new Float64Array(0), 0)).toBeInstanceOf(Float64Array);
});

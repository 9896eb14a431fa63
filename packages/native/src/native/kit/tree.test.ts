import fc from "fast-check";
import { expect, test } from "vitest";
import { cutCircles, followed, pathTo } from "./tree.ts";

test("a path goes from the root to the record", () => {
  const up = Int32Array.of(-1, 0, 1, 1);
  expect([...pathTo(up, 3)]).toEqual([0, 1, 3]);
  expect([...pathTo(up, -1)]).toEqual([]);
  expect([...followed(up)]).toEqual([1, 1, 0, 0]);
});

test("a cycle is cut where the walk from its last record returns", () => {
  const up = Int32Array.of(2, 0, 1, 2);
  expect(cutCircles(up)).toEqual([0]);
  expect([...pathTo(up, 3)]).toEqual([0, 1, 2, 3]);
});

test("a record that is its own parent loses the link", () => {
  const up = Int32Array.of(0);
  expect(cutCircles(up)).toEqual([0]);
  expect([...up]).toEqual([-1]);
});

test("with any links every walk ends, and intact trees do not change", () => {
  const links = fc
    .integer({ min: 1, max: 30 })
    .chain((n) => fc.array(fc.integer({ min: -1, max: n - 1 }), { minLength: n, maxLength: n }));
  fc.assert(
    fc.property(links, (list) => {
      const up = Int32Array.from(list);
      const cut = cutCircles(up);
      for (const record of up.keys()) {
        let steps = 0;
        for (let at = record; at !== -1; at = up[at] ?? -1) expect(++steps).toBeLessThanOrEqual(list.length);
        expect(up[record]).toBe(cut.includes(record) ? -1 : list[record]);
      }
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdTable, findId, internId, textOfId } from "./ids.ts";

const ids = fc.array(fc.oneof(fc.uuid(), fc.string({ unit: "binary" }), fc.string(), fc.constant("\ud800x")));

test("a table gives every id one number, and the id back for the number", () => {
  fc.assert(
    fc.property(ids, (list) => {
      const table = createIdTable();
      const numbers = list.map((id) => internId(table, id));
      expect(numbers.map((number) => textOfId(table, number))).toEqual(list);
      expect(list.map((id) => findId(table, id))).toEqual(numbers);
      expect(table.size).toBe(new Set(list).size);
    }),
  );
});

test("a table grows", () => {
  const table = createIdTable();
  const list = Array.from(
    { length: 20_000 },
    (_, i) => `${i.toString(16).padStart(8, "0")}-0000-4000-8000-00000000000${i % 10}`,
  );
  for (const id of list) internId(table, id);
  expect(list.every((id, i) => findId(table, id) === i && textOfId(table, i) === id)).toBe(true);
  expect(findId(table, "never seen")).toBe(-1);
});

test("an upper-case UUID is another id than its lower-case form", () => {
  const table = createIdTable();
  const lower = "0a5540e7-2dcc-4293-a291-09a3dc1d9ae6";
  expect(internId(table, lower)).not.toBe(internId(table, lower.toUpperCase()));
  expect(textOfId(table, 1)).toBe(lower.toUpperCase());
});

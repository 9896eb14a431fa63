import fc from "fast-check";
import { expect, test } from "vitest";
import { fromPlainJson, toPlainJson } from "./plain-json.ts";

const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.uint8Array(),
  fc.uint16Array(),
  fc.uint32Array(),
  fc.int32Array(),
  fc.float64Array(),
  fc.array(fc.constant(0), { maxLength: 9 }).map((zeros) => Int32Array.from([1, ...zeros])),
);
const { state } = fc.letrec((tie) => ({
  state: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("state"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("$"), fc.constant("__proto__")), tie("state"), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
    fc.array(fc.tuple(leaf, tie("state")), { maxLength: 5 }).map((pairs) => new Map(pairs)),
    fc.array(leaf, { maxLength: 5 }).map((values) => new Set(values)),
  ),
}));

test("a state of plain data does not change when it is written as JSON and read back", () => {
  fc.assert(
    fc.property(state, (value) => {
      expect(fromPlainJson(JSON.parse(JSON.stringify(toPlainJson(value))))).toStrictEqual(value);
    }),
  );
});

test("unused space at the end of a column is left out of the JSON", () => {
  const column = new Float64Array(100_000);
  column[0] = 1.5;
  expect(JSON.stringify(toPlainJson(column)).length).toBeLessThan(60);
});

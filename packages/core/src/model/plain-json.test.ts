import fc from "fast-check";
import { expect, test } from "vitest";
import { JSON_DEPTH_LIMIT } from "./json.ts";
import { toPlainJson } from "./plain-json.ts";

const anything = fc.anything({
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
  withBoxedValues: true,
  withObjectString: true,
});

test("a copy is what JSON makes of a value", () => {
  fc.assert(
    fc.property(anything, (value) => {
      const text = JSON.stringify([value]);
      expect(JSON.stringify(toPlainJson([value]))).toBe(text);
    }),
  );
});

test("a copy holds nothing of its original", () => {
  const list = [{ a: 1 }];
  const copy = toPlainJson({ list }) as { list: { a: number }[] };
  list.push({ a: 2 });
  Object.assign(list[0] ?? {}, { a: 3 });
  expect(copy).toEqual({ list: [{ a: 1 }] });
});

test("a value is read once", () => {
  let reads = 0;
  const copy = toPlainJson({
    get once() {
      return ++reads;
    },
    toText: { toJSON: (key: string) => `${key} ${++reads}` },
  });
  expect([copy, JSON.stringify(copy), reads]).toEqual([
    { once: 1, toText: "toText 2" },
    '{"once":1,"toText":"toText 2"}',
    2,
  ]);
});

test("a key that would change the prototype is a key", () => {
  const value: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}');
  expect(JSON.stringify(toPlainJson(value))).toBe('{"__proto__":{"a":1},"b":2}');
  expect(Object.getPrototypeOf(toPlainJson(value))).toBe(Object.prototype);
});

const CIRCLE: unknown[] = [];
CIRCLE.push(CIRCLE);
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();

test.each<[string, unknown, string]>([
  ["nothing", undefined, "invalid"],
  ["a function", () => 1, "invalid"],
  ["a bigint", { list: [1n] }, "invalid"],
  [
    "a getter that throws",
    {
      get a() {
        throw new Error("no");
      },
    },
    "invalid",
  ],
  [
    "a getter that throws a revoked proxy",
    {
      get a() {
        throw proxy;
      },
    },
    "invalid",
  ],
  ["a revoked proxy", [proxy], "invalid"],
  ["a circle", CIRCLE, "too_large"],
  ["a list that is only long", new Array(4_000_000_000), "too_large"],
])("%s has no copy", (_, value, code) => {
  expect(() => toPlainJson(value)).toThrow(expect.objectContaining({ code }));
});

test("depth has a limit", () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 0;
    for (let n = 0; n < levels; n++) value = [value];
    return value;
  };
  expect(toPlainJson(nested(JSON_DEPTH_LIMIT))).toEqual(nested(JSON_DEPTH_LIMIT));
  expect(() => toPlainJson(nested(JSON_DEPTH_LIMIT + 1))).toThrow(
    expect.objectContaining({ code: "too_large" }),
  );
});

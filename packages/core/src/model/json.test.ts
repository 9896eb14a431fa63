import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  JSON_DEPTH_LIMIT,
  jsonLengthAtLeast,
  jsonTextOf,
  toJsonText,
  toWellFormed,
} from "./json.ts";

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let n = 0; n < levels; n++) value = [value];
  return value;
}

describe("canonical JSON", () => {
  const CASES: readonly (readonly [unknown, string])[] = [
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ "10": 1, "9": 2, "1": 3 }, '{"1":3,"10":1,"9":2}'],
    [
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    ],
    [
      [JSON.parse("333333333.33333329"), 1e30, 4.5, 2e-3, 1e-27, -0],
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]",
    ],
    ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    ["\ud800", '"\\ud800"'],
    [
      { z: undefined, a: [undefined, () => 1], b: new Date(0) },
      '{"a":[null,null],"b":"1970-01-01T00:00:00.000Z"}',
    ],
    [null, "null"],
  ];
  for (const [value, expected] of CASES) {
    test(expected.slice(0, 60), () => expect(canonicalJson(value)).toBe(expected));
  }

  test("the order of keys does not matter, at any depth; the text is JSON.stringify's", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { text, canonical } = toJsonText(value);
        expect(jsonTextOf(value)).toBe(text);
        expect(text).toBe(JSON.stringify(value));
        expect(canonicalJson(reversed(value))).toBe(canonical);
        expect(canonicalJson(JSON.parse(text))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("a value that JSON cannot represent is refused", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [1n, undefined, () => 1, Symbol("x")]) {
      for (const write of [toJsonText, jsonTextOf])
        expect(() => write(value)).toThrow(expect.objectContaining({ code: "invalid" }));
    }
    for (const write of [toJsonText, jsonTextOf])
      expect(() => write(circle)).toThrow(expect.objectContaining({ code: "too_large" }));
  });

  test("depth has a limit", () => {
    expect(toJsonText(nested(JSON_DEPTH_LIMIT)).text.length).toBe(2 * JSON_DEPTH_LIMIT + 1);
    expect(() => toJsonText(nested(JSON_DEPTH_LIMIT + 1))).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
    const hidden = { toJSON: () => nested(JSON_DEPTH_LIMIT + 1) };
    for (const write of [toJsonText, jsonTextOf])
      expect(() => write(hidden)).toThrow(expect.objectContaining({ code: "too_large" }));
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value).reverse()) {
    Object.defineProperty(copy, key, {
      value: reversed(item),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

test("a value without lone surrogates is returned unchanged; a value that is too deep is an error with a code", () => {
  const whole = { "😀": ["a", { b: null }], c: 1 };
  expect(toWellFormed(whole)).toBe(whole);
  expect(toWellFormed({ "\ud83d": ["\ude00", 1] })).toEqual({ "\ufffd": ["\ufffd", 1] });
  const deep = nested(JSON_DEPTH_LIMIT);
  expect(toWellFormed(deep)).toBe(deep);
  expect(() => toWellFormed(nested(50_000))).toThrow(expect.objectContaining({ code: "too_large" }));
});

test("a lower bound of the length of JSON is never more than the length", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonLengthAtLeast(value, Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(
        JSON.stringify(value).length,
      );
    }),
  );
});

test("a lower bound of the length of JSON counts texts, keys and lists, and ends for a circle", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const of = (value: unknown): number => jsonLengthAtLeast(value, 1_000);
  expect(of({ text: "x".repeat(90) })).toBe(100);
  expect(of(["abc", [1, 2]])).toBe(13);
  expect(of({ left: undefined, toJSON: () => "short", long: "x".repeat(500) })).toBe(1);
  expect(of({ left: undefined, call: () => 1 })).toBe(0);
  expect(of(new Date())).toBe(1);
  expect(of(circle)).toBeGreaterThan(1_000);
  expect(
    of({
      get broken(): never {
        throw new Error("called");
      },
    }),
  ).toBeLessThan(10);
});

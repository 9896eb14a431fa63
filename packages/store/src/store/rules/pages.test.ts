import type { Page } from "@continuo/core/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Work } from "../engine/index.ts";
import { type Key, nameRange, type PageRequest, pageOf, prefixEnd, textsOf } from "./pages.ts";

interface Asked {
  readonly after: Key | undefined;
  readonly limit: number;
}

interface NumbersRequest extends PageRequest {
  readonly rowsAtOnce?: number;
}

/** Pages of the numbers from 1 to `count`, and what the list was asked for. */
function pageOfNumbers(count: number, request: NumbersRequest): Page<string> & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const work = pageOf<number, string>(request, {
    fetch: function* (after, limit): Work<readonly number[]> {
      asked.push({ after, limit });
      const from = after === undefined ? 0 : Number(after[0]);
      return Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, n) => from + n + 1);
    },
    keyOf: (row) => [row, `key of ${row}`],
    toItem: (row) => `item ${row}`,
    ...(request.rowsAtOnce === undefined ? {} : { rowsAtOnce: request.rowsAtOnce }),
  });
  const step = work.next();
  if (step.done !== true) throw new Error("a page of numbers asks for nothing else");
  return { ...step.value, asked };
}

test("a page reads one row more than it returns, so that it knows whether there are more", () => {
  const { asked, items, nextCursor } = pageOfNumbers(3, { limit: 2 });
  expect([asked, items]).toEqual([[{ after: undefined, limit: 3 }], ["item 1", "item 2"]]);
  const next = pageOfNumbers(3, { limit: 2, cursor: String(nextCursor) });
  expect(next).toEqual({
    asked: [{ after: [2, "key of 2"], limit: 3 }],
    items: ["item 3"],
    nextCursor: null,
  });
});

test("a list that fits exactly has no further page, nor has an empty one", () => {
  expect(pageOfNumbers(2, { limit: 2 })).toMatchObject({ items: ["item 1", "item 2"], nextCursor: null });
  expect(pageOfNumbers(0, { limit: 2 })).toMatchObject({ items: [], nextCursor: null });
});

test("a page has a hundred items by default", () => {
  expect(pageOfNumbers(101, {})).toMatchObject({ items: { length: 100 }, nextCursor: expect.any(String) });
  expect(pageOfNumbers(100, {})).toMatchObject({ items: { length: 100 }, nextCursor: null });
});

test("whatever the limit is, the pages of a list have each item once and in order", () => {
  const some = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(fc.nat(40), some, some, (count, limit, rowsAtOnce) => {
      const items: string[] = [];
      let cursor: string | null | undefined;
      do {
        const request = { limit, rowsAtOnce };
        const page = pageOfNumbers(count, typeof cursor === "string" ? { ...request, cursor } : request);
        items.push(...page.items);
        cursor = page.nextCursor;
        expect(page.items.length).toBe(cursor === null ? page.items.length : limit);
      } while (cursor !== null);
      expect(items).toEqual(Array.from({ length: count }, (_, n) => `item ${n + 1}`));
    }),
  );
});

test("a page that needs several statements reads no row twice, and one row more than it returns", () => {
  const { asked, items } = pageOfNumbers(9, { limit: 5, rowsAtOnce: 2 });
  expect(items).toEqual(["item 1", "item 2", "item 3", "item 4", "item 5"]);
  expect(asked.map(({ after, limit }) => [after?.[0], limit])).toEqual([
    [undefined, 2],
    [2, 2],
    [4, 2],
  ]);
});

test.each([1, 1_000])("the limit %d is accepted", (limit) => {
  expect(pageOfNumbers(2_000, { limit }).items.length).toBe(limit);
});

test.each([0, -1, 1_001, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("the limit %d is invalid", (limit) => {
  expect(() => pageOfNumbers(1, { limit })).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: "the limit of a list must be from 1 to 1000",
      details: { limit },
    }),
  );
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test.each([
  "",
  "no cursor",
  encoded(7),
  encoded({ 0: "a" }),
  encoded([null]),
  encoded(["a", {}]),
  encoded(null),
])("the cursor %j, which comes from no store, is invalid", (cursor) => {
  expect(() => pageOfNumbers(1, { cursor })).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: "the cursor of a list must come from the store",
      details: expect.objectContaining({ cursor }),
    }),
  );
});

test("the end of a prefix is after every name with the prefix, and before all others", () => {
  const end = prefixEnd("ab");
  const against = (name: string): number => Buffer.compare(Buffer.from(name), Buffer.from(end));
  expect(["ab", "abc", "ab\u{1f600}", "ab\uffff"].map(against)).toEqual([-1, -1, -1, -1]);
  expect(against("ac")).toBe(1);
});

test.each([
  [undefined, undefined, [">", ""]],
  [undefined, ["b"], [">", "b"]],
  ["ab", undefined, [">=", "ab"]],
  ["ab", ["abc"], [">", "abc"]],
  ["ab", ["ab"], [">", "ab"]],
  ["ab", ["aa"], [">=", "ab"]],
  ["", undefined, [">=", ""]],
  // U+FFFF is before U+1F600 in a database, and after it in UTF-16.
  ["\u{1f600}", ["\uffff"], [">=", "\u{1f600}"]],
] as const)("names of the prefix %j after %j have one lower bound", (prefix, after, from) => {
  const before = prefix === undefined ? null : prefixEnd(prefix);
  expect(nameRange(prefix, after)).toEqual({ from, before });
});

test.each([
  [undefined, undefined],
  ["a", ["a"]],
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [[], [""]],
  [Array(1_000).fill("a"), Array(1_000).fill("a")],
] as const)("a filter takes one text or several, case %#", (given, expected) => {
  expect(textsOf("status", given as readonly string[])).toEqual(expected);
});

test("a filter with too many texts, or with a value that is not a text, is invalid", () => {
  expect(() => textsOf("status", Array(1_001).fill("a"))).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: "the status has too many names",
      details: { count: 1_001 },
    }),
  );
  expect(() => textsOf("status", ["a", 7 as unknown as string])).toThrow("the status must be a text");
  expect(() => textsOf("status", "\u0000")).toThrow("the status has a NUL or a lone surrogate");
});

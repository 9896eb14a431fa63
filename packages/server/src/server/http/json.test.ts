import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import { mapElements, parseJson } from "./json.ts";
import { assertJsonShape, scanJson } from "./json-shape.ts";

const LIMITS = { values: 20, depth: 4, elements: 3 };

function refusal(text: string): unknown {
  try {
    for (const _ of scanJson(Buffer.from(text), LIMITS));
    return null;
  } catch (error) {
    return (error as { readonly details: unknown }).details;
  }
}

test("values and keys are counted, and separators within strings are not", () => {
  expect(refusal(`{${Array.from({ length: 9 }, (_, n) => `"${n}":1`).join(",")}}`)).toBe(null);
  expect(refusal(`{${Array.from({ length: 10 }, (_, n) => `"${n}":1`).join(",")}}`)).toEqual({
    what: "values",
    limit: 20,
  });
  expect(refusal(`{"a":[${"1,".repeat(15)}1]}`)).toBe(null);
  expect(refusal(`{"a":[${"1,".repeat(17)}1]}`)).toEqual({ what: "values", limit: 20 });
  expect(refusal(JSON.stringify({ a: `,[{:"\\${"[,".repeat(100)}` }))).toBe(null);
});

test("a string ends at its quote, also if an escaped backslash or quote comes before it", async () => {
  for (const text of ["\\", "\\\\", '"', '\\"', '"\\']) {
    expect(refusal(JSON.stringify([text, 1, 2]))).toBe(null);
    expect(refusal(JSON.stringify([text, 1, 2, 3]))).toEqual({ what: "elements", limit: 3 });
    expect(refusal(JSON.stringify({ [text]: text, a: [[[[1]]]] }))).toEqual({ what: "depth", limit: 4 });
  }
  expect(await elementsOf(String.raw`["\\",[1,2],"b"]`)).toHaveLength(3);
});

test("levels and the elements of the outer array are counted", () => {
  expect(refusal("[[[[1]]]]")).toBe(null);
  expect(refusal("[[[[[1]]]]]")).toEqual({ what: "depth", limit: 4 });
  expect(refusal('{"a":{"a":{"a":{"a":{}}}}}')).toEqual({ what: "depth", limit: 4 });
  expect(refusal("[1,2,3]")).toBe(null);
  expect(refusal("[1,2,3,4]")).toEqual({ what: "elements", limit: 3 });
  expect(refusal("[[1,2,3,4]]")).toBe(null);
});

test("a frame is refused because of its shape, and a short one is not examined", () => {
  expect(() => assertJsonShape(Buffer.from(`[${"1,".repeat(60_000)}1]`))).toThrow(
    expect.objectContaining({ code: "too_large" }),
  );
  expect(() => assertJsonShape(Buffer.from("[".repeat(1_001)))).toThrow(
    expect.objectContaining({ code: "too_large", details: { what: "depth", limit: 1_000 } }),
  );
  assertJsonShape(Buffer.from("[".repeat(1_000)));
});

const SPACE = fc.stringMatching(/^[ \t\r\n]{0,3}$/u);
const ELEMENT = fc.json({ noUnicodeString: false });
const ARRAY = fc
  .tuple(fc.array(fc.tuple(SPACE, ELEMENT, SPACE), { maxLength: 5 }), SPACE, SPACE)
  .map(([items, before, after]) =>
    `${before}[${items.map((item) => item.join("")).join(",")}${after}]${after}`.toWellFormed(),
  );

function elementsOf(text: string): Promise<readonly { value: unknown; text: string }[]> {
  return mapElements(Buffer.from(text), ({ value, bytes }) => ({
    value,
    text: Buffer.from(bytes).toString(),
  }));
}

test("the elements of an array equal those of a parse of the whole text, and have the bytes that were sent", async () => {
  await fc.assert(
    fc.asyncProperty(ARRAY, async (text) => {
      const elements = await elementsOf(text);
      expect(elements.map(({ value }) => value)).toEqual(JSON.parse(text));
      for (const element of elements) {
        expect(text).toContain(element.text);
        expect(element.text).toBe(element.text.trim());
      }
    }),
  );
  expect(await elementsOf(" [ ] ")).toEqual([]);
  expect(await elementsOf(' {"a":[1,2]} ')).toEqual([{ value: { a: [1, 2] }, text: '{"a":[1,2]}' }]);
  expect(await elementsOf("\uFEFF[1]")).toEqual([{ value: 1, text: "1" }]);
});

test("a text that the parser refuses is refused, whatever is wrong with it", async () => {
  const signs = fc.constantFrom(...'[]{},:"\\1 x\n\uFEFF');
  const broken = fc.oneof(
    fc.array(signs, { maxLength: 12 }).map((all) => all.join("")),
    fc.tuple(ARRAY, fc.nat(40), signs).map(([text, at, sign]) => text.slice(0, at) + sign + text.slice(at)),
    fc.tuple(ARRAY, fc.nat(40)).map(([text, at]) => text.slice(0, at) + text.slice(at + 1)),
  );
  await fc.assert(
    fc.asyncProperty(
      broken.map((text) => text.toWellFormed()),
      async (text) => {
        const value = parsed(text);
        const whole = await parseJson(Buffer.from(text)).catch(() => undefined);
        const elements = await elementsOf(text).catch(() => undefined);
        expect(whole).toEqual(value);
        if (value === undefined) expect(elements).toBe(undefined);
        else expect(elements?.map((one) => one.value)).toEqual(Array.isArray(value) ? value : [value]);
      },
    ),
    { numRuns: rounds(1_000) },
  );
});

/** A decoder reads the bytes, which removes a byte order mark. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch {
    return undefined;
  }
}

test("bytes that are not UTF-8 are refused", async () => {
  const body = Buffer.concat([Buffer.from('["'), Buffer.from([0xff]), Buffer.from('"]')]);
  await expect(mapElements(body, () => 1)).rejects.toMatchObject({ code: "invalid" });
  await expect(parseJson(body)).rejects.toMatchObject({ code: "invalid" });
});

test("other work runs while a long body is examined and parsed", async () => {
  const element = `"${"x".repeat(100_000)}"`;
  const body = Buffer.from(`[${Array.from({ length: 40 }, () => element).join(",")}]`);
  let turns = 0;
  let timer = setImmediate(function turn() {
    turns++;
    timer = setImmediate(turn);
  });
  expect(await mapElements(body, () => 1)).toHaveLength(40);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(4);
});

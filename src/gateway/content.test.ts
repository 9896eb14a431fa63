/** These tests cover the sizes of contents: nothing of a text is lost, and one message can hold all contents of a call. */

import { expect, test } from "vitest";
import { contentOfCall, diffsOf, inputOf } from "./calls.ts";
import { textContent, toContent } from "./content.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

const { textChars, blockChars } = GATEWAY_LIMITS;

function textsOf(contents: readonly unknown[]): readonly string[] {
  return contents.map((content) => String((content as { text?: unknown }).text));
}

test("a long text becomes parts, none of which ends within a character", () => {
  expect(textContent("")).toEqual([]);
  expect(textsOf(textContent("a".repeat(textChars)))).toHaveLength(1);
  const text = `${"a".repeat(textChars - 1)}😀${"b".repeat(textChars)}`;
  const parts = textsOf(textContent(text));
  expect(parts.join("")).toBe(text);
  expect(parts.map((part) => part.length)).toEqual([textChars - 1, textChars, 2]);
  expect(parts.every((part) => part.isWellFormed())).toBe(true);
});

test("a picture that is too large for a message becomes a text with its size", () => {
  const picture = (length: number) => ({
    type: "image" as const,
    data: "A".repeat(length),
    mimeType: "image/png",
  });
  expect(toContent([picture(blockChars)])).toMatchObject([{ type: "image" }]);
  const [left] = textsOf(toContent([picture(blockChars + 1)]));
  expect(left).toBe(`[image of ${blockChars + 1} characters, which is too large for a message]`);
});

test("contents of a call that fit only one by one are counted where they do not fit together", () => {
  const half = { type: "image", data: "A".repeat(Math.floor(blockChars * 0.6)), mimeType: "image/png" };
  const small = { type: "text", text: "the last one" };
  const shown = contentOfCall([half, half, small]).map((one) => JSON.stringify(one));
  expect(shown.map((one) => one.length < 200)).toEqual([false, true, true]);
  expect(shown.slice(1)).toEqual([
    expect.stringContaining("the last one"),
    expect.stringContaining("[1 more, which are too large for a message]"),
  ]);
});

test("changes of an edit, and the input of a call, are bounded too", () => {
  const change = (text: string) => ({ type: "diff", path: "/a.ts", oldText: null, newText: text });
  const whole = [change("a"), change("b")];
  expect(diffsOf({}, whole)).toEqual(whole);
  const large = change("a".repeat(Math.floor(blockChars * 0.6)));
  expect(diffsOf({}, [large, large])).toMatchObject([large, { type: "content" }]);
  expect(inputOf({ a: "a" })).toEqual({ a: "a" });
  expect(inputOf("a".repeat(blockChars))).toEqual({ leftOut: `${blockChars + 2} characters` });
});

import { expect, test } from "vitest";
import { isBase64, parseDataUrl } from "./message.ts";

const LONG = "a".repeat(16_000_000);

test.each([
  ["", false],
  ["=", false],
  ["aGk=", true],
  ["aA==", true],
  ["aGk", true],
  ["a=k=", false],
  ["a===", false],
  ["aG k", false],
  ["aG-_", false],
])("the text %j is base64: %j", (text, expected) => {
  expect(isBase64(text)).toBe(expected);
});

test("texts of many megabytes are checked", () => {
  expect(isBase64(LONG)).toBe(true);
  expect(isBase64(`${LONG}!`)).toBe(false);
  expect(parseDataUrl(`data:image/png;base64,${LONG}`)?.data).toHaveLength(LONG.length);
  expect(parseDataUrl(`data:${LONG}`)).toBeNull();
});

test.each([
  ["data:image/png;base64,aGk=", { mimeType: "image/png", data: "aGk=" }],
  ["data:text/plain;charset=utf-8;base64,aGk=", { mimeType: "text/plain", data: "aGk=" }],
  ["data:;base64,aGk=", { mimeType: "", data: "aGk=" }],
  ["data:text/plain,aGk=", null],
  ["file:///a;base64,aGk=", null],
])("the address %s has these data", (url, expected) => {
  expect(parseDataUrl(url)).toEqual(expected);
});

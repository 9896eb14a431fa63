/**
 * These tests cover the sizes of contents: nothing of a text is lost, and one message can hold all contents of a call.
 */

import type { Block } from "@continuo/core/model";
import { expect, test } from "vitest";
import { contentOfCall, diffsOf, inputOf, kindOf, titleOfCall } from "./calls.ts";
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

test("sounds and files that are too large for a message become texts too", () => {
  const file = (more: object): readonly Block[] => [
    { type: "file", mimeType: "text/plain", name: "a.txt", ...more } as Block,
  ];
  const left = (kind: string): string =>
    `[${kind} of ${blockChars + 1} characters, which is too large for a message]`;
  expect(toContent(file({ text: "short" }))).toMatchObject([{ type: "resource" }]);
  expect(textsOf(toContent(file({ text: "a".repeat(blockChars + 1) })))).toEqual([left("resource")]);
  expect(textsOf(toContent(file({ data: "A".repeat(blockChars + 1) })))).toEqual([left("resource")]);
});

test("a terminal of the editor is shown only while its turn runs, and wrapped content as what it wraps", () => {
  const terminal = { type: "terminal", terminalId: "term-1" };
  const change = { type: "diff", path: "/a.ts", newText: "b" };
  const text = { type: "content", content: { type: "text", text: "out" } };
  const content = [terminal, { type: "unknown", raw: terminal }, { type: "unknown", raw: change }, text];
  expect(contentOfCall(content, "running")).toEqual([terminal, terminal, change, text]);
  expect(contentOfCall(content)).toEqual([change, text]);
  expect(contentOfCall("")).toEqual([]);
  expect(contentOfCall("a".repeat(blockChars + 1))).toMatchObject([
    { content: { text: "[1 more, which are too large for a message]" } },
  ]);
});

test.each([
  ["Bash", "execute"],
  ["exec_command", "execute"],
  ["MultiEdit", "edit"],
  ["write_file", "edit"],
  ["WebFetch", "fetch"],
  ["web_search", "fetch"],
  ["Grep", "search"],
  ["list_directory", "search"],
  ["read_file", "read"],
  ["delete_file", "delete"],
  ["rename", "move"],
  ["TodoWrite", "think"],
  ["Task", "think"],
  ["unheard_of", "other"],
])("a call of %s is shown as %s", (name, kind) => expect(kindOf(name)).toBe(kind));

test("the title of a call is one line of bounded length, with its subject", () => {
  expect(titleOfCall("Bash", { command: "make\n  all" })).toBe("Bash: make all");
  expect([titleOfCall("Bash", "text"), titleOfCall("Bash", {})]).toEqual(["Bash", "Bash"]);
  expect(titleOfCall("Bash", { command: "x".repeat(500) })).toHaveLength(GATEWAY_LIMITS.titleChars);
});

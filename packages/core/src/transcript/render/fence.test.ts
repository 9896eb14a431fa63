import { expect, test } from "vitest";
import { fence, inlineCode, isPlainText } from "./fence.ts";

test.each([
  ["", "```md\n```"],
  ["a", "```md\na\n```"],
  ["a\n", "```md\na\n```"],
  ["a ``` b", "````md\na ``` b\n````"],
  ["`` and `````", "``````md\n`` and `````\n``````"],
])("the code block of %j is %j", (text, block) => {
  expect(fence(text, "md")).toBe(block);
});

test.each([
  ["a", "`a`"],
  ["", "`  `"],
  [" a", "`  a `"],
  ["a\nb", "`a b`"],
  ["`a", "`` `a ``"],
  ["a`", "`` a` ``"],
  ["a``b`c", "```a``b`c```"],
])("the code span of %j is %j", (text, span) => {
  expect(inlineCode(text)).toBe(span);
});

test.each([
  ["a\n\n- b *c* [d](e)", true],
  ["```sh\n# no heading\n```", true],
  ["```\n<b>\n```` \nc", true],
  ["````\n```\n# still inside\n````", true],
  ["```\n```sh\n# still inside\n```", true],
  ["````\n```\n", false],
  ["```\na", false],
  ["```\na\n```\n# b", false],
  ["~~~\na\n~~~", false],
  ["a\n---", false],
  ["- # b", false],
  ["a <b>", false],
  ["![a](b)", false],
  ["[a]: b", false],
  ["[^a]", false],
])("whether %j can stand as Markdown: %j", (text, tame) => {
  expect(isPlainText(text)).toBe(tame);
});

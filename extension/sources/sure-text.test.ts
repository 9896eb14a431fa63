/** The words of a picture that were read with confidence. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { sureText } from "./sure-text.ts";

/** Rows of Tesseract: the words of each line with their confidence. */
function tableOf(...lines: readonly (readonly (readonly [string, number])[])[]): string {
  const rows = lines.flatMap((words, line) => [
    `4\t1\t1\t1\t${line + 1}\t0\t0\t0\t90\t20\t-1\t`,
    ...words.map(
      ([text, confidence], at) => `5\t1\t1\t1\t${line + 1}\t${at + 1}\t0\t0\t9\t9\t${confidence}\t${text}`,
    ),
  ]);
  return ["1\t1\t0\t0\t0\t0\t0\t0\t640\t360\t-1\t", ...rows, ""].join("\n");
}

test("lines of a slide keep their order, without the characters as which bullets are read", () => {
  const table = tableOf(
    [
      ["The", 96],
      ["harbour", 96],
    ],
    [
      ["«", 78],
      ["Built", 96],
      ["in", 96],
      ["1853", 97],
    ],
  );
  expect(sureText(table)).toBe("The harbour\nBuilt in 1853");
});

test.each([
  [
    "words that were hardly read",
    [
      ["Lamp", 95],
      ["qvx", 20],
    ],
    "Lamp",
  ],
  [
    "a line whose words are all doubtful",
    [
      ["bark", 61],
      ["leaves", 62],
    ],
    "",
  ],
  [
    "marks of a pattern in the picture",
    [
      ["||", 95],
      ["i", 90],
      [":-", 92],
    ],
    "",
  ],
  ["a price", [["€120", 91]], "€120"],
  ["a picture without words", [], ""],
] as const)("%s: only confident words are kept", (_what, words, text) => {
  expect(sureText(tableOf(words))).toBe(text);
});

test("the text of one picture is bounded", () => {
  expect(sureText(tableOf([["word".repeat(1_000), 95]]))).toHaveLength(LIMITS.readTextChars);
});

import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test.each([
  ["claude:0198-ab", "claude:0198-ab"],
  ["/home/ada/a b", "'/home/ada/a b'"],
  ["x;touch y", "'x;touch y'"],
  ["it's", "'it'\\''s'"],
  ["", "''"],
  ["#x", "'#x'"],
  ["=ls", "'=ls'"],
  ["--resume", "--resume"],
  ["~", "'~'"],
  ["a\nb'\\", "$'a\\u000ab\\'\\\\'"],
  ["a\u202eb", "$'a\\u202eb'"],
  ["\u{e0041}", "$'\\U000e0041'"],
])("%j is the word %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test("bash reads each word as the text that it stands for", () => {
  const texts = fc.sample(
    fc.string({
      unit: fc.oneof(fc.constantFrom(..."';$`\\\n\u001b\u202e #~é😀-"), fc.string()),
      maxLength: 12,
    }),
    200,
  );
  const given = texts.filter((text) => !text.includes("\0") && text.isWellFormed());
  const script = `printf '%s\\0' ${given.map(shellWord).join(" ")}`;
  const env = { ...process.env, LC_ALL: "C.UTF-8" };
  expect(execFileSync("bash", ["-c", script], { encoding: "utf8", env }).split("\0").slice(0, -1)).toEqual(
    given,
  );
});

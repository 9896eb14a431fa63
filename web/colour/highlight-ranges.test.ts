import { diffWordsWithSpace } from "diff";
import { expect, test } from "vitest";
import { changedWords, highlightRangesOf } from "./highlight-ranges.ts";

test("the output of the highlighter becomes places in the text, line by line", () => {
  const html =
    '<span class="hljs-keyword">const</span> a = <span class="hljs-string">&quot;x\ny&quot;</span>; &lt;b';
  const text = 'const a = "x\ny"; <b';
  expect(highlightRangesOf(html).map(({ from, to, name }) => [text.slice(from, to), name])).toEqual([
    ["const", "code-keyword"],
    ['"', "code-string"],
    ["x", "code-string"],
    ["y", "code-string"],
    ['"', "code-string"],
  ]);
});

test("a class without a colour inside of a string keeps the colour of the string", () => {
  const html = '<span class="hljs-string">a<span class="hljs-subst">b</span></span>c';
  expect(highlightRangesOf(html).map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

test("different words are found if a line replaced another", () => {
  const text = "same\nreturn local(day);\nreturn utc(day);\nend";
  const words = changedWords(text, [" ", "-", "+", " "], diffWordsWithSpace);
  expect(words.map(({ from, to, name }) => [text.slice(from, to), name])).toEqual([
    ["local", "word-del"],
    ["utc", "word-ins"],
  ]);
});

test("lines that have little in common, and lines without a partner, are marked as a whole", () => {
  expect(changedWords("abc\nx y z", ["-", "+"], diffWordsWithSpace)).toEqual([]);
  expect(changedWords("a b\na c\na d", ["-", "+", "+"], diffWordsWithSpace)).toEqual([]);
});

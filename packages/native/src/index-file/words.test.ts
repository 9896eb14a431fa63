import fc from "fast-check";
import { expect, test } from "vitest";
import { countSequence, countWords, foldedText, partsOf, wordsOf } from "./words.ts";

const text = fc.array(fc.constantFrom("a", "b", "ab", "Ab", "ü", "日", " ", ".", "_", "1"), {
  maxLength: 20,
});

test("counting words in a folded text gives the same result as reading them one by one", () => {
  fc.assert(
    fc.property(text, (pieces) => {
      const all = pieces.join("");
      expect(countWords(foldedText(all))).toBe(wordsOf(all).length);
    }),
  );
});

test("a sequence of words is counted at each place where the words follow each other", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (pieces, sought, isPrefix) => {
      const there = wordsOf(pieces.join(""));
      const words = wordsOf(sought.slice(0, 4).join(""));
      fc.pre(words.length > 0);
      const isAt = (start: number): boolean =>
        words.every((word, at) => {
          const one = there[start + at];
          return one === word || (isPrefix && at === words.length - 1 && one?.startsWith(word) === true);
        });
      const places = there.filter((_, at) => isAt(at)).length;
      expect(countSequence(foldedText(pieces.join("")), { words, isPrefix })).toBe(places);
    }),
  );
});

test("the parts of a name begin at its capitals, and the last of several capitals belongs to the next part", () => {
  const parts = (name: string): string[] => [...partsOf(name)];
  expect(parts("readUserName")).toEqual(["read", "user", "name"]);
  expect(parts("parseHTTPServer2Go")).toEqual(["parse", "http", "server2", "go"]);
  expect(parts("XMLDoc")).toEqual(["xml", "doc"]);
  expect(parts("plain ALLCAPS")).toEqual([]);
  // Random letters are no name.
  expect(parts("aBcDeFgH")).toEqual([]);
});

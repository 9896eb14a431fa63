import { wordsOf } from "@continuo/native/index-file";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import { parseQuery } from "../query/index.ts";
import { createByteFilter } from "./byte-filter.ts";
import { mayBeAscii } from "./folds.ts";

/** Returns true if a session of these pieces may match. */
function mayMatch(query: string, ...pieces: readonly string[]): boolean {
  const filter = createByteFilter(parseQuery(query, { toTime: (time) => time })).begin();
  return pieces
    .map((piece, at) => filter.add(Buffer.from(piece), at + 1 < pieces.length ? "more" : "last"))
    .some(Boolean);
}

/** A text as agents write it: as a string of JSON, as a string in JSON in a string, with and without escapes. */
function writings(text: string): string[] {
  const escaped = (json: string): string =>
    json.replace(/[^\0-\x7f]/gu, (one) =>
      [...Array(one.length).keys()]
        .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`)
        .join(""),
    );
  const once = JSON.stringify({ text });
  const twice = JSON.stringify({ arguments: once });
  return [once, escaped(once), twice, escaped(twice), JSON.stringify({ arguments: escaped(once) })];
}

const LETTERS = [..."aAbBzZ09éÉüÅßẞſKﬁ½²ａＡ①㎏iİıσςΣяЯйדの日本語がｶﾞ가각ไทยู́̈̈가𝐚🄰"];
const BETWEEN = [
  " ",
  "\n",
  "\t",
  '"',
  "\\",
  "/",
  "-",
  "_",
  "—",
  "\u00a0",
  "\u200d",
  "\u001b[31m",
  "、",
  "💡",
];
const token = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 6 });
const text = fc
  .array(fc.tuple(token, fc.constantFrom(...BETWEEN, "")), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(""));

test("no word and no phrase of a text is excluded, however its JSON writes it", () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 1, max: 4 }), (whole, at, count) => {
      const words = wordsOf(whole);
      fc.pre(words.length > 0);
      const start = at % words.length;
      const phrase = words.slice(start, start + count).join(" ");
      for (const json of writings(whole)) {
        expect(mayMatch(`"${phrase}"`, json), `${phrase} in ${json}`).toBe(true);
        expect(mayMatch(phrase.split(" ").join(" "), json), `${phrase} in ${json}`).toBe(true);
      }
    }),
    { numRuns: rounds(800) },
  );
});

test("a text without a word of the query is excluded, even if it has accents, signs and other scripts", () => {
  const lines = [
    "The reader keeps every record — “nothing” may be lost… café, Straße, naïve, für, Übergang",
    "│ 12 │ ✓ done 💡 日本語 данные сессии\u001b[31m red \u001b[0m C:\\users\\new and\nthe next line",
  ];
  for (const word of ["wombat", "readers", "kafe", "strasse", '"keeps record"', "данный", "本日"]) {
    // An escape of an escape may stand for anything.
    for (const json of lines.flatMap((line) => writings(line).slice(0, 3))) {
      expect(mayMatch(word, json), `${word} in ${json}`).toBe(false);
    }
  }
  const all = '"every record" cafe straße naive "für übergang" done 日本語 "данные сессии" "the next"';
  for (const way of writings(lines.join("\n")).keys()) {
    const pieces = lines.map((line) => writings(line)[way] ?? "");
    expect(mayMatch(all, ...pieces), String(way)).toBe(true);
  }
});

test("every word has to be in some piece of the session, and the words of a phrase in one", () => {
  expect(mayMatch("one two", '"one"', '"two"')).toBe(true);
  expect(mayMatch("one two three", '"one"', '"two"')).toBe(false);
  expect(mayMatch('"one two"', '"one"', '"two"')).toBe(false);
  expect(mayMatch("file:src/deep/index.ts", '"src\\/deep\\/index.ts"')).toBe(true);
  expect(mayMatch("file:src/deep/index.ts error:wombat", '"src/deep/index.ts"')).toBe(false);
});

test("a query that names no words can exclude nothing", () => {
  const isSelective = (query: string): boolean =>
    createByteFilter(parseQuery(query, { toTime: (time) => time })).isSelective;
  expect(["tool:Bash", "error:", "-word since:2020-01-01"].map(isSelective)).toEqual([false, false, false]);
  expect(mayMatch("tool:Bash", "")).toBe(true);
  expect(isSelective("tool:Bash word")).toBe(true);
});

test("every character that a word of ASCII letters can come from is looked at", () => {
  // Ideographs and syllables of East Asia, which fold to themselves, and surrogates are left out.
  const isLeftOut = (one: number): boolean =>
    one < 0x80 || (one >= 0x3400 && one < 0xa000) || (one >= 0xac00 && one < 0xe000);
  const passed = [...Array(0x20000).keys()].flatMap((codePoint) => {
    if (isLeftOut(codePoint) || (codePoint >= 0x12000 && codePoint < 0x1c000)) return [];
    const character = String.fromCodePoint(codePoint);
    const [first = 0, second = 0, third = 0] = Buffer.from(character);
    return mayBeAscii(first, second, third) ? [] : [character];
  });
  expect(passed.length).toBeGreaterThan(30_000);
  // Each character follows a letter, so that an accent which vanishes leaves only the letter.
  const words = wordsOf(passed.map((character) => `q${character}`).join("\n"));
  const marks = passed.filter((one) => /\p{M}/u.test(one));
  expect(words.filter((word) => /[a-pr-z0-9]|.q/u.test(word))).toEqual([]);
  expect(marks.filter((mark) => wordsOf(`q${mark}`).join(" ") === "q")).toEqual([]);
});

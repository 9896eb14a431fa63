import fc from "fast-check";
import { expect, test } from "vitest";
import { textInIsolates, visibleLine, visibleText } from "./visible-text.ts";

test.each([
  ["plain", "a b\tc\nd", "a b\tc\nd"],
  ["a terminal escape", "\u001b[31mred\u001b]0;title\u0007", "␛[31mred␛]0;title␇"],
  ["the eight-bit introducer", "\u009b31m", "<U+009B>31m"],
  ["carriage returns", "a\r\nb\rc", "a\nb␍c"],
  ["delete and null", "\u007f\u0000", "␡␀"],
  ["bidirectional overrides", "x\u202ecod\u2066", "x<U+202E>cod<U+2066>"],
  ["zero width, soft hyphen, byte order mark", "a\u200bb\u00adc\ufeff", "a<U+200B>b<U+00AD>c<U+FEFF>"],
  ["tags that smuggle text", "a\u{e0041}", "a<U+E0041>"],
  ["annotation marks", "a\ufff9b", "a<U+FFF9>b"],
  ["a lone surrogate", "a\ud800b", "a<U+D800>b"],
  ["line separators", "a\u2028b", "a<U+2028>b"],
  ["joiners inside an emoji stay", "👩‍💻 ❤️", "👩‍💻 ❤️"],
  ["joiners inside a Persian word stay", "می‌خواهم", "می‌خواهم"],
  ["joiners between Latin letters do not", "a\u200db", "a<U+200D>b"],
  [
    "fillers of Hangul, which are letters",
    "a\u115f\u1160\u3164\uffa0b",
    "a<U+115F><U+1160><U+3164><U+FFA0>b",
  ],
  ["vowels of Khmer that nobody sees", "a\u17b4\u17b5b", "a<U+17B4><U+17B5>b"],
  [
    "a joiner of graphemes, selectors that select nothing",
    "a\u034f\ufe01\u180bb",
    "a<U+034F><U+FE01><U+180B>b",
  ],
  ["characters that are reserved to be ignored", "a\u2065\ufff0\u{e0fff}b", "a<U+2065><U+FFF0><U+E0FFF>b"],
  ["a selector that makes a sign a text stays", "☎\ufe0e", "☎\ufe0e"],
  ["a space after a control", "\u001f \u0001", "␟ ␁"],
  ["a joiner before an emoji of two units", "👩\u200d💻👩\u200d", "👩\u200d💻👩<U+200D>"],
  ["wide text stays", "日本語 ñ", "日本語 ñ"],
])("visibleText: %s", (_, text, visible) => {
  expect(visibleText(text)).toBe(visible);
});

test("visibleLine is one line", () => {
  expect(visibleLine("a\n\tb")).toBe("a␊␉b");
});

test("of all that Unicode ignores when it is shown, nothing is left between Latin letters", () => {
  const ignored = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    /\p{Default_Ignorable_Code_Point}/u.test(one),
  );
  expect(ignored.length).toBeGreaterThan(4_000);
  expect(ignored.filter((one) => !/^a<U\+[0-9A-F]{4,6}>b$/u.test(visibleText(`a${one}b`)))).toEqual([]);
});

test("no control is left of any text, and making visible twice changes nothing", () => {
  const anyText = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(anyText, (text) => {
      const visible = visibleText(text);
      expect(visible).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]|\p{Cs}/u);
      expect(visibleText(visible)).toBe(visible);
    }),
  );
});

test.each([
  [
    "marks and characters of no width stay",
    "a\u200f\u200b\u00ad\u2060\ufeffb",
    "a\u200f\u200b\u00ad\u2060\ufeffb",
  ],
  ["overrides are spelled out", "a\u202enpg.b\u202d c", "a<U+202E>npg.b<U+202D> c"],
  ["what ends an override is spelled out", "a\u202eb\u202c c", "a<U+202E>b<U+202C> c"],
  ["an embedding stands in an isolate", "a\u202bb\u202c c", "a\u2068\u202bb\u202c\u2069 c"],
  ["what is open ends with its line", "\u202ba\nb", "\u2068\u202ba\u202c\u2069\nb"],
  ["an isolate is closed", "\u2067a\u202bb\nc", "\u2067a\u202bb\u202c\u2069\nc"],
  ["an isolate ends what was opened in it", "\u2067a\u202bb\u2069c\u202c", "\u2067a\u202bb\u2069c<U+202C>"],
  ["what closes nothing is spelled out", "a\u2069\u202cb", "a<U+2069><U+202C>b"],
  ["tags and fillers are spelled out", "\u{e0041}\u3164\u001b", "<U+E0041><U+3164>␛"],
])("textInIsolates: %s", (_, text, kept) => {
  expect(textInIsolates(text)).toBe(kept);
});

test("at most 60 directions are open at once in a line", () => {
  const kept = (count: number): string => textInIsolates("\u2067".repeat(count));
  expect(kept(60)).toBe("\u2067".repeat(60) + "\u2069".repeat(60));
  expect(kept(61)).toBe(`${"\u2067".repeat(60)}<U+2067>${"\u2069".repeat(60)}`);
});

test("no direction reaches beyond its line, however marks are mixed, and doing it twice changes nothing", () => {
  const marks = fc.constantFrom(..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069ab\n");
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 200 }), (list) => {
      const kept = textInIsolates(list.join(""));
      expect(textInIsolates(kept)).toBe(kept);
      for (const line of kept.split("\n")) {
        const open: string[] = [];
        for (const mark of line) {
          expect(mark).not.toMatch(/[\u202d\u202e]/u);
          if (/[\u2066-\u2068]/u.test(mark)) open.push("\u2069");
          // An embedding is never outside of an isolate.
          else if (/[\u202a\u202b]/u.test(mark)) expect(open.push("\u202c")).toBeGreaterThan(1);
          else if (mark === "\u202c") expect(open.pop()).toBe(mark);
          else if (mark === "\u2069") open.length = open.lastIndexOf(mark);
          expect(open.length).toBeLessThan(70);
        }
        expect(open).toEqual([]);
      }
    }),
  );
});

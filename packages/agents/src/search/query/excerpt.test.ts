import fc from "fast-check";
import { expect, test } from "vitest";
import { excerptOf } from "./excerpt.ts";

/** The pieces that an excerpt marks in a text. */
function markedIn(text: string, word: string): readonly string[] {
  const passage = { voice: "person", messageId: "m1", text } as const;
  const excerpt = excerptOf([passage], [{ words: [word], exact: false }], ["person"]);
  return (excerpt?.pieces ?? []).filter(({ match }) => match).map((piece) => piece.text);
}

test.each([
  ["a plain word", "wait, then retry twice", "retry", ["retry"]],
  ["a word that begins with a capital", "Retry after a retry", "retry", ["Retry", "retry"]],
  ["a word in capitals", "please RETRY now", "retry", ["RETRY"]],
  ["a name by one of its parts", "call readUserName here", "user", ["readUserName"]],
  ["a name that begins with a capital by one of its parts", "a ReadUserName", "name", ["ReadUserName"]],
  ["a word with an accent", "the café closes", "cafe", ["café"]],
  ["one character of a script without spaces", "本を読む", "読", ["本を読む"]],
  ["a number", "error 404 again", "404", ["404"]],
])("an excerpt marks %s", (_, text, word, marked) => {
  expect(markedIn(text, word)).toEqual(marked);
});

test("an excerpt does not mark a word that only contains the searched one", () => {
  expect(markedIn("the retrying client", "retry")).toEqual([]);
});

test("an excerpt is of a role that was asked for, although the words of another role match too", () => {
  const passages = [
    { voice: "person", messageId: "m1", text: "does the retry work?" },
    { voice: "result", messageId: "m2", text: "12 of 12 retry tests passed" },
  ] as const;
  const ofTools = excerptOf(passages, [{ words: ["retry"], exact: false }], ["result"]);
  expect(ofTools).toMatchObject({ voice: "result", messageId: "m2" });
});

test("an excerpt of plain text is the same if a distant character prevents the plain search of the text", () => {
  const words = fc.constantFrom(
    "retry",
    "Retry",
    "readRetryCount",
    "retrying",
    "wait",
    "then",
    "again.",
    "x_retry",
    "\n",
  );
  const text = fc.array(words, { maxLength: 900 }).map((all) => all.join(" "));
  const phrase = fc.constantFrom(["retry"], ["retry", "wait"], ["count"], ["absent"]);
  fc.assert(
    fc.property(text, fc.array(phrase, { minLength: 1, maxLength: 2 }), (some, phrases) => {
      const plain = `${some} ${".".repeat(300)}`;
      const [first, second] = [plain, `${plain} é`].map((one) =>
        excerptOf(
          [{ voice: "person", messageId: "m1", text: one }],
          phrases.map((of) => ({ words: of, exact: false })),
          ["person"],
        ),
      );
      expect(first?.pieces.filter(({ match }) => match)).toEqual(second?.pieces.filter(({ match }) => match));
    }),
  );
});

test("of two texts with the same words, that of a person is shown, with a sign for the text before it", () => {
  const text = `${"more ".repeat(40)}retry`;
  const passages = [
    { voice: "result", messageId: "m1", text },
    { voice: "person", messageId: "m2", text },
  ] as const;
  const excerpt = excerptOf(passages, [{ words: ["retry"], exact: false }], ["person", "result"]);
  expect(excerpt).toMatchObject({ messageId: "m2" });
  expect(excerpt?.pieces[0]).toEqual({ text: "… ", match: false });
});

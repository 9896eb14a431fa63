import fc from "fast-check";
import { expect, test } from "vitest";
import { type Choices, choicesIn, withChoices, wordsIn } from "./choices.ts";

const text = fc.string({ unit: "grapheme", maxLength: 20 });

test("reading the address of any choices gives the same choices", () => {
  const choices: fc.Arbitrary<Choices> = fc.record({
    view: fc.constantFrom("history", "model"),
    branch: fc.option(text),
    thinking: fc.boolean(),
    facts: fc.boolean(),
    folds: fc.array(fc.tuple(text, fc.boolean()), { maxLength: 20 }).map((all) => new Map(all)),
    file: fc.option(text),
    diff: fc.record({ net: fc.boolean(), sides: fc.boolean() }),
    find: text,
  });
  fc.assert(
    fc.property(choices, (made) => {
      expect(choicesIn(withChoices("#/session/a/turn/7", made))).toEqual(made);
    }),
  );
});

test("without choices the address does not change, and any text can be read as an address", () => {
  expect(withChoices("#/session/a", choicesIn("#/session/a"))).toBe("#/session/a");
  fc.assert(
    fc.property(fc.string(), (hash) => {
      expect(withChoices("#/", choicesIn(`#/?${hash}`))).toMatch(/^#\//u);
    }),
  );
});

test.each([
  ["retry backoff", ["retry", "backoff"]],
  ['agent:codex "Black tea" since:7d -in:/x', ["black", "tea"]],
  ['Näher -weg -"ganz weg" tool:"Bash x" y', ["naher", "y"]],
  ["a OR b", ["a", "b"]],
  ["  ", []],
])("the words in the search %j are %j", (find, words) => {
  expect(wordsIn(find)).toEqual(words);
});

test("an address has at most the newest 20 folds, and at most 20 of its words are searched", () => {
  const names = Array.from({ length: 25 }, (_, at) => `r${at}`);
  const hash = `#/session/a?${new URLSearchParams(names.map((name) => ["open", name]))}`;
  const choices = choicesIn(hash);
  expect([...choices.folds.keys()]).toEqual(names.slice(5));
  const made = withChoices("#/session/a", { ...choices, folds: new Map(names.map((name) => [name, true])) });
  expect([...choicesIn(made).folds.keys()]).toEqual(names.slice(5));
  expect(made.match(/open=/gu)).toHaveLength(20);
  expect(wordsIn(names.join(" "))).toEqual(names.slice(0, 20));
});

import { expect, test } from "vitest";
import { shareOf } from "./budget.ts";

test("a share of a budget is taken of each unit and rounded down", () => {
  const budget = { messages: 5, chars: 1_001, tokens: 7, tokenizer: (text: string) => text.length };
  expect(shareOf(budget, 1 / 2)).toEqual({ ...budget, messages: 2, chars: 500, tokens: 3 });
});

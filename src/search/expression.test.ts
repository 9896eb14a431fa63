import { expect, test } from "vitest";
import { toExpression } from "./expression.ts";
import { parseQuery } from "./query.ts";

const parse = (text: string, isTyping: boolean): string | null =>
  toExpression(parseQuery(text, { toTime: (time) => time, isTyping }));

test("while somebody types, the last word stands for all that begin so; a closed phrase and earlier words do not", () => {
  expect(parse("role:user read fi", true)).toBe('{person} : "read" AND {person} : "fi" *');
  expect(parse("role:user read fi ", true)).toBe('{person} : "read" AND {person} : "fi"');
  expect(parse('role:user "read fi"', true)).toBe('{person} : "read fi"');
  expect(parse("role:user read fi", false)).toBe('{person} : "read" AND {person} : "fi"');
});

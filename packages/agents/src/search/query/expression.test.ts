import { expect, test } from "vitest";
import { toExpression } from "./expression.ts";
import { parseQuery } from "./query.ts";

const parse = (text: string, isTyping: boolean): string | null =>
  toExpression(parseQuery(text, { toTime: (time) => time, isTyping }));

test("while a person types, the last word matches as a prefix; a closed phrase and earlier words match as they are", () => {
  expect(parse("role:user read fi", true)).toBe('{person} : "read" AND {person} : "fi" *');
  expect(parse("role:user read fi ", true)).toBe('{person} : "read" AND {person} : "fi"');
  expect(parse('role:user "read fi"', true)).toBe('{person} : "read fi"');
  expect(parse("role:user read fi", false)).toBe('{person} : "read" AND {person} : "fi"');
});

import type { ChangedLine } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { sidesOf } from "./sides.ts";

const lines = (text: string): ChangedLine[] =>
  text.split("|").map((line) => ({
    sign: line.slice(0, 1) as ChangedLine["sign"],
    text: line.slice(1),
    before: null,
    after: null,
  }));

test.each([
  [" a|-b|+c| d", ["a=a", "b=c", "d=d"]],
  ["-a|-b|+c", ["a=c", "b="]],
  ["+a|+b| c", ["=a", "=b", "c=c"]],
  ["-a|+b|-c|+d", ["a=b", "c=d"]],
  [" a|…| b", ["a=a", "=", "b=b"]],
])("the lines %s are side by side", (text, sides) => {
  const rows = sidesOf(lines(text));
  expect(rows.map(({ left, right }) => `${left?.text ?? ""}=${right?.text ?? ""}`)).toEqual(sides);
});

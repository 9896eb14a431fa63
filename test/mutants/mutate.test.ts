import { expect, test } from "vitest";
import { mutantsOf, plant } from "./mutate.ts";

function planted(source: string): readonly string[] {
  return mutantsOf(source).map((mutant) => plant(source, mutant));
}

test("operators, conditions, literals, statements and returned values are changed one at a time", () => {
  expect(planted("if (a < 1) f();")).toEqual([
    "if (true) f();",
    "if (false) f();",
    "if (a <= 1) f();",
    "if (a < 2) f();",
    "if (a < 1) ;",
  ]);
  expect(planted("function f() { return !a && true; }")).toEqual([
    "function f() { return a && true; }",
    "function f() { return undefined as never; }",
    "function f() { return !a || true; }",
    "function f() { return !a && false; }",
  ]);
  expect(planted('const a = [...b, "", `x`];')).toEqual([
    "const a = [];",
    'const a = [...[], "", `x`];',
    'const a = [...b, "mutant", `x`];',
    'const a = [...b, "", ``];',
  ]);
});

test("types, imports and names of properties are left as they are", () => {
  const source = `import { a } from "./a.ts";
export { b } from "./b.ts";
interface C { readonly d: "e" | 1 }
type F = "g" | true;
const h: "i" = j as "i";
const { k: l } = { "m": n };
`;
  expect(planted(source)).toEqual([]);
});

test("an operator is found after its left side, behind letters of any length", () => {
  expect(planted('const a = "é<😀" < b;')).toEqual(['const a = "" < b;', 'const a = "é<😀" <= b;']);
});

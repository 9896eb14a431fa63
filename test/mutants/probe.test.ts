import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { withProbes } from "./probe.ts";

function ran(source: string, ...places: readonly string[]): readonly string[] {
  const met: string[] = [];
  const probed = withProbes(
    source,
    places.map((place) => source.indexOf(place)),
    (at) => `met(${JSON.stringify(places.find((place) => source.indexOf(place) === at))})`,
  );
  runInNewContext(probed, { met: (place: string) => met.push(place) });
  return met;
}

test("a probe stands in the innermost function around a place", () => {
  const source = "function outer() { const inner = () => 1 + 2; return 3; } outer();";
  expect(ran(source, "1 + 2", "return 3")).toEqual(["return 3"]);
  expect(ran(`${source.slice(0, -9)} (() => 4)();`, "4")).toEqual(["4"]);
});

test("an arrow function keeps the value of its expression", () => {
  expect(ran("const f = () => ({ a: 1 }); if (f().a === 1) (() => 'two')();", "1 }", "'two'")).toEqual([
    "1 }",
    "'two'",
  ]);
});

test("two places of one function have two probes", () => {
  expect(ran("function f() { return [2, 3]; } f();", "2", "3")).toEqual(["2", "3"]);
});

test("a place outside of all functions has a probe in each", () => {
  const source = "const a = 1; const f = (n) => (() => n)(); function g() {} f(2); g();";
  expect(ran(source, "1;")).toEqual(["1;", "1;", "1;"]);
  expect(ran("const a = 1; const f = (n) => () => { return n + 1; }; f(2)();", "1;")).toEqual(["1;", "1;"]);
});

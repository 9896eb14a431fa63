/** The part of the tests that the run of a commit takes. */

import { expect, test } from "vitest";
import { momentsOfRun, numbersOfRun, pairsOfRun, partOf } from "./rotation.ts";

test("the same commit always takes the same part, and each part is taken by some commit", () => {
  expect(partOf("00000004deadbeef", 3)).toBe("2/3");
  expect(partOf("00000004deadbeef", 3)).toBe("2/3");
  const parts = new Set(Array.from({ length: 9 }, (_, at) => partOf(`0000000${at}ff`, 3)));
  expect([...parts].sort()).toEqual(["1/3", "2/3", "3/3"]);
});

test("a text that is not a commit hash is refused", () => {
  for (const commit of ["", "HEAD", "12345"]) expect(() => partOf(commit, 3)).toThrow("not the hash");
});

test("the parts hold each moment once, and a run without a part tries all of them", () => {
  const moments = ["open", "write", "sync", "rename", "close"];
  const parts = ["1/3", "2/3", "3/3"].map((part) => momentsOfRun(moments, part));
  expect(parts).toEqual([["open", "rename"], ["write", "close"], ["sync"]]);
  expect(numbersOfRun(4, "1/1")).toEqual([0, 1, 2, 3]);
  expect(() => momentsOfRun(moments, "none")).toThrow("not a part");
});

test("the parts hold each pair once, and each agent stands first and second equally often in each of them", () => {
  const agents = ["a", "b", "c", "d", "e", "f"];
  const parts = ["1/3", "2/3", "3/3"].map((part) => pairsOfRun(agents, part));
  const whole = pairsOfRun(agents, "1/1").map(([from, to]) => from + to);
  expect(new Set(whole).size).toBe(36);
  expect(parts.flatMap((pairs) => pairs.map(([from, to]) => from + to)).sort()).toEqual(whole.toSorted());
  for (const pairs of parts) {
    for (const side of [0, 1] as const) {
      expect(agents.map((agent) => pairs.filter((pair) => pair[side] === agent).length)).toEqual([
        2, 2, 2, 2, 2, 2,
      ]);
    }
    expect(pairs.some(([from, to]) => agents.indexOf(to) === (agents.indexOf(from) + 1) % 6)).toBe(true);
  }
});

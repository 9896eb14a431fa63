/** The part of the tests that the run of a commit takes. */

import { expect, test } from "vitest";
import { momentsOfRun, numbersOfRun, partOf } from "./rotation.ts";

test("the same commit always takes the same part, and each part is taken by some commit", () => {
  expect(partOf("00000004deadbeef", 3)).toBe("2/3");
  expect(partOf("00000004deadbeef", 3)).toBe("2/3");
  const parts = new Set(Array.from({ length: 9 }, (_, at) => partOf(`0000000${at}ff`, 3)));
  expect([...parts].sort()).toEqual(["1/3", "2/3", "3/3"]);
});

test("what is no hash of a commit is refused", () => {
  for (const commit of ["", "HEAD", "12345"]) expect(() => partOf(commit, 3)).toThrow("not the hash");
});

test("the parts hold each moment once, and a run without a part tries all of them", () => {
  const moments = ["open", "write", "sync", "rename", "close"];
  const parts = ["1/3", "2/3", "3/3"].map((part) => momentsOfRun(moments, part));
  expect(parts).toEqual([["open", "rename"], ["write", "close"], ["sync"]]);
  expect(numbersOfRun(4, "1/1")).toEqual([0, 1, 2, 3]);
  expect(() => momentsOfRun(moments, "none")).toThrow("not a part");
});

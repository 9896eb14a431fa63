/** The part of the agents' tests that a commit's run takes. */

import { expect, test } from "vitest";
import { partOf } from "./rotation.ts";

test("the same commit always takes the same part, and each part is taken by some commit", () => {
  expect(partOf("00000004deadbeef", 3)).toBe("2/3");
  expect(partOf("00000004deadbeef", 3)).toBe("2/3");
  const parts = new Set(Array.from({ length: 9 }, (_, at) => partOf(`0000000${at}ff`, 3)));
  expect([...parts].sort()).toEqual(["1/3", "2/3", "3/3"]);
});

test("what is no hash of a commit is refused", () => {
  for (const commit of ["", "HEAD", "12345"]) expect(() => partOf(commit, 3)).toThrow("not the hash");
});

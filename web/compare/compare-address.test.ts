/** The address of a comparison: reading it returns the comparison from which it was made. */

import { expect, test } from "vitest";
import { compareLink, comparison, historyOf, parseCompare, swapped } from "./compare-address.ts";

test("an address has both histories, the place, and the unfolded parts", () => {
  const address = {
    ...comparison(
      historyOf("claude:a/b", { branch: "m 1&2" }),
      historyOf("codex:#x?", { view: "model", branch: "é" }),
    ),
    at: 7,
    same: new Set([3, 12]),
    folds: new Map([
      ["m1:0", true],
      ["m2:1", false],
    ]),
    side: "right" as const,
  };
  expect(parseCompare(compareLink(address))).toEqual(address);
});

test("a short address names only the two histories, and swapping them names them in the other order", () => {
  const address = comparison(historyOf("a"), historyOf("a", { view: "model" }));
  expect(compareLink(address)).toBe("#/compare/a/a?view2=model");
  expect(compareLink(swapped(address))).toBe("#/compare/a/a?view=model");
});

test.each(["#/session/a", "#/compare", "#/compare/a", "#/compare/a/"])("%s is not a comparison", (hash) =>
  expect(parseCompare(hash)).toBeNull(),
);

test("a place or a run that is not a number is left out", () => {
  const address = parseCompare("#/compare/a/b/at/x?same=y&same=4&side=up&view2=all");
  expect(address).toEqual({ ...comparison(historyOf("a"), historyOf("b")), same: new Set([4]) });
});

/** `docs/speed.md` explains each target that was missed, with the texts of the bench and no others. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missedOn, withProfiles } from "../../bench/waits/page.ts";
import { profileOf } from "../../bench/waits/targets.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/speed.md"), "utf8");

test("each bullet of docs/speed.md is a text of bench/waits/targets.ts, for the rows that it names", () => {
  expect(PAGE).toBe(withProfiles(PAGE));
});

test("a bullet of docs/speed.md that a person edited is replaced", () => {
  const edited = PAGE.replace(/^- .*$/mu, "- nothing is slow");
  expect(edited).not.toBe(PAGE);
  expect(withProfiles(edited)).toBe(PAGE);
});

test("each row of docs/speed.md that missed its target has a profile text", () => {
  const missed = missedOn(PAGE);
  expect(missed.length).toBeGreaterThan(0);
  expect(missed.filter((work) => profileOf(work) === undefined)).toEqual([]);
});

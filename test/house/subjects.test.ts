/** The rule for the subjects of commits. */

import { expect, test } from "vitest";
import { problemOf } from "../../scripts/subjects.ts";

test.each([
  "Test that a paused server throws nobody out",
  "Report when a run's final events could not be stored",
])("%j is a good subject", (subject) => {
  expect(problemOf(subject)).toBeNull();
});

test.each([
  ["Hold with tests what a run takes and gives back", "Test that"],
  ["Fixed the order of sessions", "Fix"],
  ["fix: the order of sessions", "capital"],
  ["x", "capital"],
  ["Wip", "sentence"],
  ["Mend the order of sessions.", "full stop"],
  [`Mend ${"the order of sessions ".repeat(4)}`, "72"],
])("%j is refused", (subject, reason) => {
  expect(problemOf(subject)).toContain(reason);
});

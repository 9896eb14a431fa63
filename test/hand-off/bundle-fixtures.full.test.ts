/** The recorded sessions that `bundle.test.ts` does not pack. */

import { expect, test } from "vitest";
import { expectPacked, fixturesFor } from "./packed-fixtures.ts";

test("most recorded sessions are packed here", () => {
  expect(fixturesFor("full").length).toBeGreaterThan(50);
});

test.each(fixturesFor("full"))(
  "a bundle of %s holds every file of %s, and packing changes none of them",
  expectPacked,
);

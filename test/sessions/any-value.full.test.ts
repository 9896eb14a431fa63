/** The property of `any-value.test.ts`, in so many runs that every hostile value occurs at every moment. */

import { test } from "vitest";
import { expectOneEnd } from "./any-value.ts";

test("each of 3,000 runs ends exactly once, whatever its agent and its callbacks produce at any moment", async () => {
  await expectOneEnd(3_000);
}, 1_200_000);

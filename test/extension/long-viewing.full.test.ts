/** The short form of the long viewing has the same failures, without the minutes between them. */

import { test } from "vitest";
import { watchLong } from "./long-viewing.ts";

test("a viewing in which every part fails gives one session, with each caption and each note once", async () => {
  await watchLong({ rate: 4, offlineMs: 0, killEveryMs: Number.POSITIVE_INFINITY });
});

/** The short form has the same kills, without the minutes between them. */

import { test } from "vitest";
import { watchLong } from "./long-viewing.ts";

test("ten segments, with a kill of every part, give one session with each caption and note once", async () => {
  await watchLong({ rate: 4, offlineMs: 0, killEveryMs: Number.POSITIVE_INFINITY });
});

/** The short form: the same deaths, minutes left out. */

import { test } from "vitest";
import { watchLong } from "./long-viewing.ts";

test("ten segments with a death of every part are one session with each caption and note once", async () => {
  await watchLong({ rate: 4, offlineMs: 0, killEveryMs: Number.POSITIVE_INFINITY });
});

/** The replay of promises when its time is over. */

import { expect, test } from "vitest";
import { replayPromises } from "./replay.ts";

test("after its time, a replay plants no mistake and reports no promise as tried", async () => {
  const one = { promise: "It ends.", file: "missing.ts", text: "a", mistake: "b" };
  const replay = { folders: ["missing"], promises: [one], testsOf: () => ["missing.test.ts"] };
  const ended = await replayPromises({ ...replay, tell: () => undefined, endsAtMs: 0, havePassed: true });
  expect(ended).toEqual({ tried: 0, survivors: [] });
  const running = { ...replay, tell: () => undefined, endsAtMs: Number.POSITIVE_INFINITY, havePassed: true };
  await expect(replayPromises(running)).rejects.toThrow("ENOENT");
});

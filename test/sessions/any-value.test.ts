import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { anyRun, runAny } from "./any-value.ts";

test("a run ends exactly once, whatever its agent and its callbacks produce at any moment", async () => {
  await using store = await openStore("memory:");
  await fc.assert(
    fc.asyncProperty(anyRun, async (any) => {
      const ended = await runAny(store, any);
      expect(ended).toEqual({
        status: expect.stringMatching(/^(?:completed|failed|cancelled|timeout)$/u),
        ends: 1,
        interrupted: [],
      });
    }),
    { numRuns: 150 },
  );
});

import { test } from "vitest";
import { expectOneEnd } from "./any-value.ts";

test("a run ends exactly once, whatever its agent and its callbacks produce at any moment", async () => {
  await expectOneEnd(60);
});

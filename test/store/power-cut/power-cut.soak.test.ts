import { beforeAll, expect } from "vitest";
import type { Operations } from "../../power-cut/operations.ts";
import { firstLoss } from "../../power-cut/power-cut.ts";
import { soakTest } from "../../sizes/soak-test.ts";
import { lossesIn, traceStore } from "./check.ts";

let operations: Operations;
beforeAll(async () => {
  operations = await traceStore();
});

for (const mode of ["posix", "ordered"] as const) {
  soakTest(
    `store: power cuts on a disk with ${mode} rules lose nothing acknowledged`,
    { count: 10_000, batchSize: 500 },
    async ({ seed, count }) => {
      expect(await firstLoss(operations, { mode, seed, count }, lossesIn)).toBeUndefined();
    },
  );
}

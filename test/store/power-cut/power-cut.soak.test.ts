import { beforeAll, expect } from "vitest";
import { soakTest } from "../../sizes/soak-test.ts";
import type { Operations } from "./operations.ts";
import { firstLoss, traceOperations } from "./power-cut.ts";

let operations: Operations;
beforeAll(async () => {
  operations = await traceOperations();
});

for (const mode of ["posix", "ordered"] as const) {
  soakTest(
    `store: power cuts on a disk with ${mode} rules lose nothing acknowledged`,
    { count: 10_000, batchSize: 500 },
    async ({ seed, count }) => {
      expect(await firstLoss(operations, { mode, seed, count })).toBeUndefined();
    },
  );
}

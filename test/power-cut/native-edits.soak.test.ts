import { AGENT_NAMES } from "@continuo/core/model";
import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { traceEdits } from "./native-edits.ts";
import { firstLoss } from "./power-cut.ts";

for (const mode of ["posix", "ordered"] as const) {
  soakTest(
    `native edits: power cuts on a disk with ${mode} rules lose nothing acknowledged`,
    { count: 10_000, batchSize: 500 },
    async ({ seed, count }) => {
      for (const agent of AGENT_NAMES) {
        using traced = await traceEdits(agent);
        const cuts = { mode, seed, count: Math.ceil(count / AGENT_NAMES.length) };
        expect([agent, await firstLoss(traced.operations, cuts, traced.check)]).toEqual([agent, undefined]);
      }
    },
  );
}

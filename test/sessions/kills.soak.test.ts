import { soakTest } from "../sizes/soak-test.ts";
import { faultsAfterKills } from "./harness/kills.ts";

for (const engine of ["sqlite", "postgres"] as const) {
  soakTest(`kills of runs on ${engine}`, { count: 1_000, batchSize: 20 }, async ({ seed, count }) => {
    const kind = seed % 2 === 0 ? "native" : "none";
    const faults = await faultsAfterKills({ engine, kind, kills: count, seed });
    if (faults.length > 0) throw new Error(faults.join("\n"));
  });
}

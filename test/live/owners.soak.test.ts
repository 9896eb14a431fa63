import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { killOwners, summaryOf } from "./owners.ts";

soakTest(
  "live: three servers on one Postgres, whose owners are killed, make no decision twice and lose none",
  { count: 50, batchSize: 50 },
  async ({ count }) => {
    const report = await killOwners(count);
    expect(report.takeOversMs).toHaveLength(count);
    return summaryOf(report);
  },
);

import { expect, test } from "vitest";
import { killOwners, summaryOf } from "./owners.ts";

test("with three servers on one Postgres, no decision is lost or made twice when 50 owners are killed", async () => {
  const report = await killOwners(50);
  console.info(summaryOf(report));
  expect(report.takeOversMs).toHaveLength(50);
});

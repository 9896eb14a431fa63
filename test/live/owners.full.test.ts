import { expect, test } from "vitest";
import { killOwners, summaryOf } from "./owners.ts";

test("with three servers on one Postgres, no decision is lost or made twice when owners are killed", async () => {
  const report = await killOwners(4);
  console.info(summaryOf(report));
  expect(report.takeOversMs).toHaveLength(4);
}, 300_000);

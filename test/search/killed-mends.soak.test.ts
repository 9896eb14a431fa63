import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { killMends } from "./killed-mends.ts";

soakTest(
  "the index: lists and searches that are killed while they mend it leave one that equals a scan",
  { count: 200, batchSize: 20 },
  async ({ seed, count }) => {
    const { killed, over } = await killMends(count, seed);
    expect(killed).toBe(count);
    return `in the last batch, ${over} processes were over before their kill`;
  },
);

import { expect, test } from "vitest";
import { faultsAfterKills } from "./harness/kills.ts";

test.each([
  ["sqlite", "native"],
  ["sqlite", "none"],
  ["postgres", "native"],
] as const)(
  "processes that are killed at any moment lose no input and send none twice (%s, native sessions: %s)",
  { timeout: 300_000 },
  async (engine, kind) => {
    expect(await faultsAfterKills({ engine, kind, kills: 6, seed: 12 })).toEqual([]);
  },
);

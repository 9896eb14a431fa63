import { expect, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { isFreshHere, rememberStart } from "./live-runs.ts";

const LEASE_MS = 30_000;

function isRemembered(runId: string): boolean {
  return isFreshHere({ runId, createdAt: new Date().toISOString() }, LEASE_MS);
}

test("the newest runs that this process started are remembered, and old ones are forgotten at some time", () => {
  rememberStart("first");
  for (let n = 1; n < LIMITS.rememberedStarts; n++) {
    rememberStart(`later ${n}`);
    expect(isRemembered("first")).toBe(true);
  }
  expect(isRemembered("later 1")).toBe(true);
  for (let n = 0; n < 2 * LIMITS.rememberedStarts; n++) rememberStart(`last ${n}`);
  expect(isRemembered("first")).toBe(false);
  expect(isRemembered(`last ${LIMITS.rememberedStarts}`)).toBe(true);
});

test("a run of another process, and a run that is older than its lease, are not remembered", () => {
  rememberStart("old");
  const createdAt = new Date(Date.now() - LEASE_MS).toISOString();
  expect(isFreshHere({ runId: "old", createdAt }, LEASE_MS)).toBe(false);
  expect(isRemembered("of another process")).toBe(false);
});

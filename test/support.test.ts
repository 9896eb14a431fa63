import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("docs/support.md lists what the readers find in the agents' sessions", () => {
  const script = join(import.meta.dirname, "../scripts/support.ts");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});

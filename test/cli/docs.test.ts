import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("docs/cli.md has the text of --help", () => {
  const script = join(import.meta.dirname, "../../scripts/docs.ts");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});

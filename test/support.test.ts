import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TRIED_VERSIONS } from "@continuo/native";
import { expect, test } from "vitest";

test("docs/support.md lists what the readers find in the agents' sessions", () => {
  const script = join(import.meta.dirname, "../scripts/support.ts");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});

test("the newest version of each agent in docs/support.md is the one that `doctor` compares with", () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/support.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([\d., ]+) \| [\d-]{10} \| \d+ \|/gmu)];
  const newest = rows.map(([, agent, versions = ""]) => {
    return [agent, versions.split(", ").toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }))[0]];
  });
  expect(Object.fromEntries(newest)).toEqual(TRIED_VERSIONS);
});

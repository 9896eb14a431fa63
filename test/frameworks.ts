/**
 * `npm run test:frameworks [-- NAME … | --part-of-commit]`: runs the suites of agent frameworks against our adapters,
 * and the adapters' own tests with the real frameworks; `schemas` are libraries of schemas. Each framework brings the
 * Vitest that its suite needs. `hosts` are programs that mount our handler; they run only if they are named, because
 * Next compiles for minutes on a busy machine. `--part-of-commit` is for CI: the commit decides which quarter of the
 * suites runs, and the hosts are in one of the quarters.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { compileTests, installFramework } from "../scripts/frameworks.ts";
import { installLocked } from "../scripts/locked-install.ts";
import { ADAPTERS } from "../scripts/packages.ts";
import { installPackage, PINNED } from "./agents/install.ts";
import { FRAMEWORK_PARTS, headCommit, momentsOfRun, partOf } from "./sizes/rotation.ts";

const ROOT = join(import.meta.dirname, "..");
const HOSTS = "hosts";
const SCHEMAS = "schemas";

for (const name of chosenNames(process.argv.slice(2))) {
  if (ADAPTERS.includes(name)) installFramework(ROOT, name);
  else installLocked(join(ROOT, "frameworks", name));
  if (name === SCHEMAS) compileTests(ROOT, name);
  // The lock file leaves out the program that the SDK starts; the tests of agents install the same version.
  if (name === "claude-agent-sdk") await installPackage(PINNED.claude);
  const folder = join(ROOT, "frameworks", name);
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

function chosenNames(chosen: readonly string[]): readonly string[] {
  if (chosen.length === 0) return [...ADAPTERS, SCHEMAS];
  if (chosen[0] !== "--part-of-commit") return chosen;
  const part = partOf(headCommit().slice(16), FRAMEWORK_PARTS);
  const names = momentsOfRun([...ADAPTERS, HOSTS, SCHEMAS], part);
  process.stdout.write(`== the part of this commit: ${part} of the frameworks: ${names.join(", ")}\n`);
  return names;
}

/**
 * `npm run test:full [-- VITEST ARGUMENTS]`: the quick and the full size, then the real agents.
 * A missing program ends it before anything runs.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installationAdvice, missingPrograms } from "./programs.ts";

const ROOT = join(import.meta.dirname, "../..");

process.exitCode = main();

function main(): number {
  const missing = missingPrograms(process.env.PATH ?? "");
  if (missing.length > 0) {
    process.stderr.write(`test:full: ${installationAdvice(missing, process.platform)}`);
    return 2;
  }
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const ours = run([vitest, "run", "--project", "quick", "--project", "full", ...process.argv.slice(2)]);
  // Arguments choose among our own tests; the agents' have a command of their own, test:agents.
  if (process.argv.length > 2) return ours;
  const agents = run([join(ROOT, "test/agents/run.ts")]);
  return ours === 0 ? agents : ours;
}

function run(args: readonly string[]): number {
  const env = { ...process.env, CONTINUO_ALL_ROUNDS: "1" };
  const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/**
 * `npm run test:full [-- --after-quick] [-- VITEST ARGUMENTS]`: the quick and the full size, then the real agents.
 * A missing program ends it before anything runs. `--after-quick` is for CI, which ran the quick size on the same
 * commit: it leaves that size out, and takes the part of the agents' tests that the commit decides.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { installationAdvice, missingPrograms } from "./programs.ts";
import { AGENT_PARTS, partOf } from "./rotation.ts";

const ROOT = join(import.meta.dirname, "../..");
const AFTER_QUICK = "--after-quick";

process.exitCode = main();

function main(): number {
  const missing = missingPrograms(process.env.PATH ?? "");
  if (missing.length > 0) {
    process.stderr.write(`test:full: ${installationAdvice(missing, process.platform)}`);
    return 2;
  }
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const isAfterQuick = process.argv.includes(AFTER_QUICK);
  const chosen = process.argv.slice(2).filter((argument) => argument !== AFTER_QUICK);
  const sizes = isAfterQuick ? ["full"] : ["quick", "full"];
  const ours = run([vitest, "run", ...sizes.flatMap((size) => ["--project", size]), ...chosen]);
  // Arguments choose among our own tests; the agents' have a command of their own, test:agents.
  if (chosen.length > 0) return ours;
  const part = isAfterQuick ? [`--shard=${partOf(headCommit(), AGENT_PARTS)}`] : [];
  if (isAfterQuick) process.stdout.write(`== the agents' tests of this commit: ${part.join("")}\n`);
  const agents = run([join(ROOT, "test/agents/run.ts"), ...part]);
  return ours === 0 ? agents : ours;
}

function headCommit(): string {
  return execFileSync("git", ["-c", "safe.directory=*", "rev-parse", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  });
}

function run(args: readonly string[]): number {
  const env = { ...process.env, CONTINUO_ALL_ROUNDS: "1" };
  const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/**
 * `npm run test:full [-- --after-quick] [-- VITEST ARGUMENTS]`: the quick and the full size, then the real agents.
 * A missing program ends it before anything runs. `--after-quick` is for CI, which ran the quick size on the same
 * commit: it leaves that size out, and takes a part of the full size, of the agents' tests, of their pairs and of the
 * moments of a kill. The commit decides which one.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installationAdvice, missingPrograms } from "./programs.ts";
import { AGENT_PARTS, FULL_PARTS, headCommit, MOMENT_PARTS, partOf } from "./rotation.ts";

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
  const commit = isAfterQuick ? headCommit() : undefined;
  const part = commit === undefined ? undefined : partOf(commit, MOMENT_PARTS);
  const agentsPart = commit === undefined ? undefined : partOf(commit, AGENT_PARTS);
  const fullPart = commit === undefined ? undefined : partOf(commit.slice(8), FULL_PARTS);
  if (part !== undefined) {
    process.stdout.write(
      `== the parts of this commit: ${fullPart} of the full size, ${part} of the moments of a kill and the pairs, ${agentsPart} of the agents\n`,
    );
  }
  const projects = sizes.flatMap((size) => ["--project", size]);
  const ours = run([vitest, "run", ...projects, ...shardOf(fullPart), ...chosen], part);
  // Arguments select only among our own tests; `test:agents` runs those of the agents.
  if (chosen.length > 0) return ours;
  const agents = run([join(ROOT, "test/agents/run.ts"), ...shardOf(agentsPart)], part);
  return ours === 0 ? agents : ours;
}

function shardOf(part: string | undefined): readonly string[] {
  return part === undefined ? [] : [`--shard=${part}`];
}

function run(args: readonly string[], part?: string): number {
  const chosen = part === undefined ? {} : { CONTINUO_PART: part };
  const env = { ...process.env, CONTINUO_ALL_ROUNDS: "1", ...chosen };
  const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env });
  if (error !== undefined) throw error;
  return status ?? 1;
}

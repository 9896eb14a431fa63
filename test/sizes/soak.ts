/**
 * `npm run test:soak [-- --fresh] [--seed N] [VITEST ARGUMENTS]`: every property with its full count.
 *
 * A run that was interrupted, or that failed, continues where it stopped; `--fresh` begins again. The result of the
 * newest run of each property is written to docs/proof.md.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ADAPTERS } from "../../scripts/packages.ts";
import { olderVersions, VERSIONS_VARIABLE } from "../agents/versions.ts";
import { withSoakTable } from "./proof-table.ts";
import { readProgress } from "./rounds.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".soak");
const PROOF = join(ROOT, "docs/proof.md");

const { values, positionals } = parseArgs({
  options: { fresh: { type: "boolean", default: false }, seed: { type: "string" } },
  allowPositionals: true,
});
if (values.seed !== undefined && !/^\d{1,9}$/u.test(values.seed)) {
  throw new Error(`--seed takes a whole number of at most 9 digits, not ${values.seed}`);
}
if (values.fresh) rmSync(FOLDER, { recursive: true, force: true });

// Ctrl-C ends Vitest, and the table is still written.
process.on("SIGINT", () => undefined);
const { status } = spawnSync(
  process.execPath,
  [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--project", "soak", ...positionals],
  {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      ...process.env,
      CONTINUO_SOAK_FOLDER: FOLDER,
      ...(values.seed === undefined ? {} : { CONTINUO_SOAK_SEED: values.seed }),
    },
  },
);
const isWhole = positionals.length === 0;
const others = isWhole ? runFull() || runPromises() || runAgents() || runOlderAgents() || runFrameworks() : 0;
writeFileSync(PROOF, withSoakTable(readFileSync(PROOF, "utf8"), readProgress(FOLDER)));
process.exitCode = status === 0 ? others : (status ?? 1);

/**
 * Runs every file, every round of a property and every moment of a kill. CI takes a third of the files and of the
 * moments, and a tenth of the rounds.
 */
function runFull(): number {
  const args = [
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project",
    "quick",
    "--project",
    "full",
  ];
  const env = { ...process.env, CONTINUO_ALL_ROUNDS: "1" };
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env }).status ?? 1;
}

/** Plants all mistakes that break a promise. CI plants about ten of them for each commit. */
function runPromises(): number {
  const args = [join(ROOT, "test/mutants/run.ts"), "--promises", "--jobs", "2"];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;
}

/** Runs every version and every pair. CI takes a thirteenth of the files, and one pair for each state. */
function runAgents(): number {
  const run = join(ROOT, "test/agents/run.ts");
  const args = [run, "--all-versions", "--all-pairs"];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;
}

/** Runs the matrix of hand-overs with the versions before the newest, at most two for each agent. */
function runOlderAgents(): number {
  const run = join(ROOT, "test/agents/run.ts");
  for (const versions of olderVersions()) {
    const env = { ...process.env, [VERSIONS_VARIABLE]: versions };
    const { status } = spawnSync(process.execPath, [run, "handoff/matrix"], {
      cwd: ROOT,
      stdio: "inherit",
      env,
    });
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

/** Runs the suites of agent frameworks; a graph is killed ten times as often as in CI. */
function runFrameworks(): number {
  const env = { ...process.env, CONTINUO_KILLS: "200" };
  const run = join(ROOT, "test/frameworks.ts");
  const names = [...ADAPTERS, "hosts", "schemas"];
  return spawnSync(process.execPath, [run, ...names], { cwd: ROOT, stdio: "inherit", env }).status ?? 1;
}

/**
 * `node test/sizes/twice.ts COMMAND…`: runs a test command. Failed test files run again, one at a time, and tests that
 * then pass are reported as unsteady. So a test that depends on the load of the machine neither hides the results of
 * the other twelve thousand, nor is hidden itself.
 */

import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { guardedRun } from "./guarded-run.ts";

const ROOT = join(import.meta.dirname, "../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const AGENTS = join(ROOT, "test/agents/run.ts");

/** Seconds since 1970: the time at which the tests must have ended, if the caller has a limit. */
const { CONTINUO_TESTS_END: end } = process.env;
const LIMIT = end === undefined ? {} : { endsAt: Number(end) };

/** If more files than this fail, a busy machine is not the reason. */
const MOST_FILES = 5;

export interface FailedTests {
  /** Paths below the project's root, each once. */
  readonly files: readonly string[];
  /** `FILE > SUITE > TEST`, each once. */
  readonly titles: readonly string[];
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2));

async function main(command: readonly string[]): Promise<number> {
  const first = await guardedRun(command, { cwd: ROOT, ...LIMIT });
  if (first.code === 0) return 0;
  const failed = failedTests(first.output);
  const agents = failed.files.filter(isAgentsTest);
  const ours = failed.files.filter((file) => !isAgentsTest(file));
  if (failed.files.length === 0 || failed.files.length > MOST_FILES) return first.code;
  process.stdout.write(`\n== once more, alone: ${failed.files.join(", ")}\n`);
  if (ours.length > 0 && !(await passes([VITEST, "run", ...ours]))) return first.code;
  if (agents.length > 0 && !(await passes([AGENTS, ...agents]))) return first.code;
  process.stdout.write(
    failed.titles.map((title) => `== unsteady, passed at the second try: ${title}\n`).join(""),
  );
  return 0;
}

/** The failed tests that an output of Vitest names. An output with an error outside of tests names none. */
export function failedTests(output: string): FailedTests {
  const lines = stripVTControlCharacters(output).split("\n");
  if (lines.some((line) => /^⎯* *Unhandled (Errors?|Rejection)/.test(line.trim())))
    return { files: [], titles: [] };
  const titles = lines.flatMap((line) => {
    const title = /^ *FAIL +(?:(?:quick|full) +)?(\S+\.test\.ts.*)$/.exec(line)?.[1];
    return title === undefined ? [] : [title];
  });
  const files = titles.map((title) => title.split(" ", 1)[0] ?? "");
  return { files: [...new Set(files)], titles: [...new Set(titles)] };
}

function isAgentsTest(file: string): boolean {
  return file.endsWith(".agents.test.ts");
}

async function passes(args: readonly string[]): Promise<boolean> {
  const env = { ...process.env, CONTINUO_ALL_ROUNDS: "1" };
  return (await guardedRun([process.execPath, ...args], { cwd: ROOT, env, ...LIMIT })).code === 0;
}

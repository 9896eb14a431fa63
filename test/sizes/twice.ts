/**
 * `node test/sizes/twice.ts COMMAND…` runs a command that runs tests. Files of tests that fail run once more, alone, and
 * what passes then is printed as unsteady. So one test that depends on how busy the machine is does not hide what the
 * other twelve thousand say, and it is not hidden either.
 */

import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const AGENTS = join(ROOT, "test/agents/run.ts");

/** More files than this are no accident of a busy machine. */
export const MOST_FILES = 5;

export interface FailedTests {
  /** Paths below the project's root, each once. */
  readonly files: readonly string[];
  /** `FILE > SUITE > TEST`, each once. */
  readonly titles: readonly string[];
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2));

async function main([program = "", ...args]: readonly string[]): Promise<number> {
  const first = await runAndKeep(program, args);
  if (first.code === 0) return 0;
  const failed = failedTests(first.output);
  const agents = failed.files.filter(isAgentsTest);
  const ours = failed.files.filter((file) => !isAgentsTest(file));
  if (failed.files.length === 0 || failed.files.length > MOST_FILES) return first.code;
  process.stdout.write(`\n== once more, alone: ${failed.files.join(", ")}\n`);
  if (ours.length > 0 && !passes([VITEST, "run", ...ours])) return first.code;
  if (agents.length > 0 && !passes([AGENTS, ...agents])) return first.code;
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

function passes(args: readonly string[]): boolean {
  const env = { ...process.env, CONTINUO_ALL_ROUNDS: "1" };
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env }).status === 0;
}

async function runAndKeep(
  program: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ["inherit", "pipe", "pipe"] });
  let output = "";
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      to.write(text);
    });
  }
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? 1));
  });
  return { code, output };
}

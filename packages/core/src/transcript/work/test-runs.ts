/** Recognizes commands that run tests, and reads the results of the tests from output and exit code. Pure. */

import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { commandOf, exitCodeOf, outputOf, simpleCommands, withoutColours } from "./commands.ts";

export interface TestRun {
  readonly command: string;
  readonly outcome: "passed" | "failed" | "unknown";
  readonly passed: number | null;
  readonly failed: number | null;
}

/** Words that run another command. */
const RUNNERS =
  /^(?:(?:npx|bunx|pnpx|time|command|sudo|env|exec|xvfb-run|coverage run -m)\s+(?:--?\w\S*\s+)*|(?:npm exec|pnpm (?:exec|dlx)|yarn (?:exec|dlx)|uv run|poetry run|pipenv run|bundle exec|rye run|hatch run|pdm run)\s+(?:--?\w\S*\s+)*|(?:yarn|pnpm|bun)\s+(?:run\s+)?(?=(?:vitest|jest|mocha|ava|tap|playwright|cypress)\b)|timeout\s+(?:-\S+\s+)*\d\S*\s+|\w+=\S*\s+)+/u;

const TESTS: readonly RegExp[] = [
  /^(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+(?:\.{0,2}\/?[\w./-]+\s+)?)*(?:run\s+|run-script\s+)?(?:test|tests|t|tst|test[:-]\S+)(?:\s|$)/u,
  /^(?:\S*\/)?(?:vitest|jest|mocha|ava|tap|jasmine|karma|pytest|py\.test|tox|nox|rspec|minitest|phpunit|pest|ctest|nosetests|bats|busted)(?:\s|$)/u,
  /^(?:playwright\s+test|cypress\s+run|ng\s+test|react-scripts\s+test|web-test-runner|wtr)(?:\s|$)/u,
  /^cargo\s+(?:\+\S+\s+)?(?:test|t|nextest\s+run)(?:\s|$)/u,
  /^(?:go|deno|dotnet|swift|mix|zig|flutter|dart|bazel|sbt|gleam|dune|stack|cabal)\s+(?:build\s+)?test(?:\s|$)/u,
  /^(?:rake|rails|composer|just|task|make|gmake|ninja|moon|nx|turbo)\s+(?:\S+\s+)*?(?:run\s+)?(?:test|tests|check|spec)(?:[:-]\S+)?(?:\s|$)/u,
  /^(?:\.\/)?(?:mvnw?|gradlew?)\s+(?:\S+\s+)*?(?:\S*:)?(?:test|verify|check)(?:\s|$)/u,
  /^node\s+(?:\S+\s+)*?(?:--test(?:\s|$)|\S*\btests?\b\S*\.[cm]?[jt]s(?:\s|$))/u,
  /^(?:tsx|ts-node|bun)\s+(?:\S+\s+)*?\S*\btests?\b\S*\.[cm]?[jt]sx?(?:\s|$)/u,
  /^python[\d.]*\s+(?:-\S\s+)*?(?:-m\s+(?:pytest|unittest|nose2?|tox)(?:\s|$)|manage\.py\s+test(?:\s|$)|\S*test\S*\.py(?:\s|$))/u,
];

const ASKS_ONLY = /(?:^|\s)(?:--version|--help|-h|--list-tests|--listTests|--collect-only|--co)(?:\s|$)/u;

/** `null` if the call runs no tests, or was not run. */
export function testRunOf(call: ToolCallBlock, result: ToolResultBlock): TestRun | null {
  const command = commandOf(call);
  if (command === null || result.status === "denied") return null;
  const commands = simpleCommands(command);
  if (!commands.some(isTestCommand)) return null;
  const output = outputOf(result);
  const { passed, failed } = countsIn(output);
  const code = exitCodeOf(result);
  const stands = { command, passed, failed };
  if ((failed ?? 0) > 0) return { ...stands, outcome: "failed" };
  if (code === null && result.status !== undefined && result.status !== "ok" && result.status !== "error")
    return { ...stands, outcome: "unknown" };
  if (code === null ? result.isError : code !== 0) return { ...stands, outcome: "failed" };
  if ((passed ?? 0) > 0) return { ...stands, outcome: "passed" };
  // The exit code of a pipe is that of its last command, not that of the tests.
  const isCode = code === 0 && isTestCommand(commands.at(-1) ?? "") && !/\|\|/u.test(command);
  return { ...stands, outcome: isCode ? "passed" : "unknown" };
}

export function isTestCommand(command: string): boolean {
  const plain = command.replace(RUNNERS, "");
  return !ASKS_ONLY.test(plain) && TESTS.some((test) => test.test(plain));
}

interface Counts {
  readonly passed: number | null;
  readonly failed: number | null;
}

/**
 * Each function reads the output of one family of test programs. If a program prints its totals several times, the last
 * line with totals is used. Numbers of test files are not numbers of tests.
 */
const FORMS: readonly ((output: string) => Counts | null)[] = [
  // Vitest and Jest: "Tests  1 failed | 5 passed (6)", "Tests: 1 failed, 5 passed, 6 total".
  (output) => labelled(/^[ \t]*Tests:?[ \t]+(.*\d+ (?:passed|failed).*)$/gmu, output),
  // pytest: "==== 1 failed, 5 passed in 0.12s ====", and with -q the same text without the equals signs.
  (output) =>
    labelled(/^(?:=+ )?((?:\d+ [a-z]+, )*\d+ (?:passed|failed|errors?)\b.*? in [\d.]+s.*)$/gmu, output),
  // Playwright and others: lines that contain only counts.
  (output) =>
    paired(
      /^(?:\s*\d+ [a-z]+[,;|])*\s*(\d+) passed(?:[,;|] \d+ [a-z]+)*(?: \([\d.]+m?s\))?\s*$/gmu,
      /^(?:\s*\d+ [a-z]+[,;|])*\s*(\d+) failed(?:[,;|] \d+ [a-z]+)*(?: \([\d.]+m?s\))?\s*$/gmu,
      output,
    ),
  // cargo: one line for each program.
  (output) => summed(/^test result: \w+\. (\d+) passed; (\d+) failed/gmu, output),
  // node --test and TAP: "# pass 5", "ℹ fail 1".
  (output) => paired(/^(?:#|ℹ) pass (\d+)$/gmu, /^(?:#|ℹ) fail (\d+)$/gmu, output),
  // Mocha: "5 passing (12ms)", "1 failing".
  (output) => paired(/^\s*(\d+) passing\b/gmu, /^\s*(\d+) failing\b/gmu, output),
  // bun: " 5 pass", " 1 fail".
  (output) => paired(/^\s*(\d+) pass$/gmu, /^\s*(\d+) fail$/gmu, output),
  // RSpec: "6 examples, 1 failure".
  (output) => fromTotal(/^(\d+) (?:examples?|runs?), .*?(\d+) failures?/gmu, output),
  // Maven and JUnit: "Tests run: 6, Failures: 1, Errors: 0".
  (output) => fromTotal(/Tests run: (\d+), Failures: (\d+)/gu, output),
  // unittest: "Ran 6 tests in 0.1s" and "FAILED (failures=1)".
  (output) => unittest(output),
  // go: one line for each test that failed, and for each package.
  (output) => goTest(output),
];

function countsIn(output: string): Counts {
  const text = withoutColours(output);
  for (const form of FORMS) {
    const counts = form(text);
    if (counts !== null) return counts;
  }
  return { passed: null, failed: null };
}

function labelled(form: RegExp, output: string): Counts | null {
  const line = [...output.matchAll(form)].at(-1)?.[1];
  if (line === undefined) return null;
  const number = (word: RegExp): number =>
    [...line.matchAll(word)].reduce((sum, [, digits]) => sum + Number(digits), 0);
  return { passed: number(/(\d+) passed/gu), failed: number(/(\d+) (?:failed|errors?)/gu) };
}

function summed(form: RegExp, output: string): Counts | null {
  const lines = [...output.matchAll(form)];
  if (lines.length === 0) return null;
  const sum = (group: number): number => lines.reduce((total, line) => total + Number(line[group]), 0);
  return { passed: sum(1), failed: sum(2) };
}

function paired(passing: RegExp, failing: RegExp, output: string): Counts | null {
  const [pass, fail] = [passing, failing].map((form) => [...output.matchAll(form)].at(-1)?.[1]);
  if (pass === undefined && fail === undefined) return null;
  return { passed: Number(pass ?? 0), failed: Number(fail ?? 0) };
}

function fromTotal(form: RegExp, output: string): Counts | null {
  const line = [...output.matchAll(form)].at(-1);
  if (line === undefined) return null;
  const [total, failed] = [Number(line[1]), Number(line[2])];
  return { passed: Math.max(0, total - failed), failed };
}

function unittest(output: string): Counts | null {
  const ran = [...output.matchAll(/^Ran (\d+) tests? in /gmu)].at(-1)?.[1];
  if (ran === undefined) return null;
  const line = [...output.matchAll(/^FAILED \((.*)\)$/gmu)].at(-1)?.[1] ?? "";
  const failed = [...line.matchAll(/(?:failures|errors)=(\d+)/gu)].reduce((sum, [, n]) => sum + Number(n), 0);
  return { passed: Math.max(0, Number(ran) - failed), failed };
}

function goTest(output: string): Counts | null {
  const failed = output.match(/^\s*--- FAIL: /gmu)?.length ?? 0;
  const passed = output.match(/^\s*--- PASS: /gmu)?.length ?? 0;
  const packages = output.match(/^FAIL\t/gmu)?.length ?? 0;
  if (failed + packages > 0)
    return { passed: passed > 0 ? passed : null, failed: Math.max(failed, packages) };
  return passed > 0 ? { passed, failed: 0 } : null;
}

import { expect, test } from "vitest";
import type { ToolResultBlock } from "../../model/index.ts";
import { simpleCommands } from "./commands.ts";
import { commitsOf } from "./commits.ts";
import { isTestCommand, testRunOf } from "./test-runs.ts";

function ran(command: unknown, output: string, result: Partial<ToolResultBlock> = {}): string {
  const made = { type: "tool_call", id: "c", name: "Bash", args: { command } } as const;
  const run = testRunOf(made, {
    type: "tool_result",
    toolCallId: "c",
    content: [{ type: "text", text: output }],
    isError: false,
    ...result,
  });
  return run === null ? "no tests" : `${run.outcome} ${run.passed} ${run.failed}`;
}

test.each([
  [
    "npm test",
    "> x@1.0.0 test\n> vitest run\n\n Test Files  1 passed (1)\n      Tests  5 passed (5)\n",
    "passed 5 0",
  ],
  ["npx vitest run a.test.ts", "\u001b[31m      Tests \u001b[39m 1 failed | 5 passed (6)\n", "failed 5 1"],
  ["yarn jest", "Tests:       2 failed, 1 skipped, 5 passed, 8 total\nTime: 1 s", "failed 5 2"],
  ["cd api && python -m pytest -q", "F....\n1 failed, 4 passed in 0.12s\n", "failed 4 1"],
  ["pytest", "======= 12 passed, 1 warning in 3.40s =======\n", "passed 12 0"],
  ["uv run pytest tests/", "===== 2 errors in 0.05s =====", "failed 0 2"],
  [
    "cargo test",
    "test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: ok. 4 passed; 0 failed; 1 ignored",
    "passed 7 0",
  ],
  ["go test ./...", "ok  \texample.com/a\t0.01s\n", "passed null null"],
  [
    "go test -v ./...",
    "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\texample.com/a\t0.01s\n",
    "failed 1 1",
  ],
  ["node --test", "ℹ tests 3\nℹ pass 2\nℹ fail 1\n", "failed 2 1"],
  ["npx mocha", "  5 passing (12ms)\n  1 failing\n", "failed 5 1"],
  ["bun test", " 5 pass\n 0 fail\n", "passed 5 0"],
  ["bundle exec rspec", "6 examples, 1 failure\n", "failed 5 1"],
  ["./gradlew :app:test", "BUILD SUCCESSFUL in 3s", "passed null null"],
  ["mvn -q verify", "[ERROR] Tests run: 6, Failures: 1, Errors: 0", "failed 5 1"],
  ["python3 -m unittest", "Ran 6 tests in 0.001s\n\nFAILED (failures=1, errors=1)", "failed 4 2"],
  ["npx playwright test", "  1 failed\n    a.spec.ts:3:1\n  5 passed (3.2s)\n", "failed 5 1"],
  ["npm test -- brew", "FAIL test/brew.test.ts\n  expected 200\n\n1 failed, 11 passed", "failed 11 1"],
  ["node timer.test.js", "pass\n", "passed null null"],
  [["bash", "-lc", "npm test"], "Tests  1 passed (1)", "passed 1 0"],
  ["CI=1 timeout 60 make check", "all fine", "passed null null"],
  ["npm test 2>&1 | tail -5", "done\n", "unknown null null"],
  ["npm test 2>&1 | tail -5", "Tests:  1 failed, 2 total\n", "failed 0 1"],
  ["npm test || true", "broken\n", "unknown null null"],
])("%s: the result is read from what it printed and how it ended", (command, output, result) => {
  expect(ran(command, output)).toBe(result);
});

test.each([
  [
    "Claude Code",
    "Exit code 1\nFAIL a.test.ts",
    { isError: true, status: "error" as const },
    "failed null null",
  ],
  [
    "Codex",
    "Wall time: 1 seconds\nProcess exited with code 2\nOutput:\n",
    { isError: true, status: "error" as const },
    "failed null null",
  ],
  [
    "Codex, still running",
    "Process running with session ID 7\nOutput:\n",
    { details: { exit_code: -1 } },
    "unknown null null",
  ],
  ["Gemini CLI", "Output: broken\nExit Code: 1\n", {}, "failed null null"],
  [
    "pi",
    "no\n\n\nCommand exited with code 3",
    { isError: true, status: "error" as const },
    "failed null null",
  ],
  ["opencode", "broken", { details: { metadata: { exit: 1 } } }, "failed null null"],
  [
    "GitHub Copilot CLI",
    "x\n<shellId: 0 completed with exit code 1>",
    { details: { shellExecution: { exitCode: 1 } } },
    "failed null null",
  ],
  ["a stopped command", "", { isError: true, status: "interrupted" as const }, "unknown null null"],
  ["a denied command", "", { isError: true, status: "denied" as const }, "no tests"],
  [
    "Claude Code in the background",
    "Command running in background with ID: b",
    { details: { backgroundTaskId: "b" } },
    "unknown null null",
  ],
])("the exit code of %s is known where its result has it", (_agent, output, result, expected) => {
  expect(ran("npm test", output, result)).toBe(expected);
});

test.each([
  "npm install",
  'git commit -m "fix; npm test"',
  "grep -rn 'pytest' .",
  "cat > run.sh <<'EOF'\nnpm test\nEOF",
  "echo npm test",
  "vitest --version",
  "cat a.test.ts",
  "npm run build",
  "ls test",
])("%s runs no tests", (command) => {
  expect(simpleCommands(command).some(isTestCommand)).toBe(false);
});

function committed(command: string, output: string, isError = false): readonly unknown[] {
  const call = { type: "tool_call", id: "c", name: "Bash", args: { command } } as const;
  const content = [{ type: "text", text: output }] as const;
  return commitsOf(call, { type: "tool_result", toolCallId: "c", content, isError });
}

test("a commit is what git printed, and with --quiet what the command asked for", () => {
  const one = { hash: "1a2b3c4", branch: "main", subject: "Mend it" };
  expect(
    committed("git add . && git commit -m 'Mend it'", "[main 1a2b3c4] Mend it\n 1 file changed\n"),
  ).toEqual([one]);
  expect(
    committed("git -C /w -c user.name=x commit -am x", "[main (root-commit) 1a2b3c4] Mend it\n"),
  ).toEqual([one]);
  expect(committed('git commit -q -m "Mend \\"it\\""', "")).toMatchObject([{ hash: null }]);
  const here = "git commit -q -m \"$(cat <<'EOF'\nMend it\n\nIt was broken.\nEOF\n)\"";
  expect(committed(here, "")).toEqual([{ hash: null, branch: null, subject: "Mend it" }]);
});

test("what looks like a commit and is none counts nowhere", () => {
  expect(committed("cat log", "[main 1a2b3c4] Mend it\n")).toEqual([]);
  expect(committed("git log --grep commit", "[main 1a2b3c4] Mend it\n")).toEqual([]);
  expect(committed("git commit -m x", "nothing to commit, working tree clean\n", true)).toEqual([]);
  expect(committed("git commit -q -m x", "fatal", true)).toEqual([]);
  expect(committed("git commit --dry-run -q", "")).toEqual([]);
});

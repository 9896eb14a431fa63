/** The report of a run of tests that failed. */

import { expect, test } from "vitest";
import { failedTests } from "./twice.ts";

const RUN = [
  " \u001B[32m✓\u001B[39m test/store/read.test.ts (3 tests)",
  " FAIL  |quick| test/never.ts > is no test file",
  "\u001B[41m FAIL \u001B[49m quick  test/store/history.test.ts > the checker > accepts a store (seed 1)",
  " FAIL  full  test/cli/repl.full.test.ts > repl > ends",
  " FAIL  full  test/cli/repl.full.test.ts > repl > begins",
  " FAIL  test/agents/runs/pi.agents.test.ts > pi > runs",
  " FAIL  quick  test/store/history.test.ts > the checker > accepts a store (seed 1)",
  "AssertionError: FAIL quick test/other.test.ts > said in a message",
].join("\n");

test("each failed test is named once, with its file, by all three kinds of runs", () => {
  expect(failedTests(RUN)).toEqual({
    files: ["test/store/history.test.ts", "test/cli/repl.full.test.ts", "test/agents/runs/pi.agents.test.ts"],
    titles: [
      "test/store/history.test.ts > the checker > accepts a store (seed 1)",
      "test/cli/repl.full.test.ts > repl > ends",
      "test/cli/repl.full.test.ts > repl > begins",
      "test/agents/runs/pi.agents.test.ts > pi > runs",
    ],
  });
});

test("a run that failed outside of its tests names no test, so nothing runs again", () => {
  expect(failedTests(`${RUN}\n⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯\n`)).toEqual({ files: [], titles: [] });
  expect(failedTests("error TS2322: Type 'string' is not assignable")).toEqual({ files: [], titles: [] });
});

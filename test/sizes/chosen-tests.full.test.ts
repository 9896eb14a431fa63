/** The tests that Vitest chooses for a change, by the configuration of this repository. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../house/imports.ts";

/** Prints those of some tests that a change of a file concerns; `npm run test:since` asks Vitest the same about all. */
const CHOOSE = `
import { relative } from "node:path";
import { createVitest } from "vitest/node";
const [, changed, ...some] = process.argv;
const options = { root: process.cwd(), project: ["quick"], watch: false, related: [changed] };
const vitest = await createVitest("test", options);
const tests = await vitest.getRelevantTestSpecifications(some);
console.log(JSON.stringify(tests.map(({ moduleId }) => relative(process.cwd(), moduleId))));
process.exit(0);
`;

/** Loads a test in a run that chooses nothing, so that Vitest's cache has its modules. */
async function cacheModules(test: string): Promise<void> {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--project", "quick", "--testNamePattern", "^no title$", test];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
}

async function chosenOf(tests: readonly string[], file: string): Promise<readonly string[]> {
  const args = ["--input-type=module", "-e", CHOOSE, join(ROOT, file), ...tests];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 10_000_000 });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

test("a change of a file of the command chooses a test that starts the command, and no test of something else", async () => {
  const tests = [
    "test/cli/move.test.ts",
    "packages/store/src/channels/state.test.ts",
    "test/house/subjects.test.ts",
  ];
  await cacheModules("test/cli/move.test.ts");
  expect(await chosenOf(tests, "src/cli/agent-hooks.ts")).toEqual(["test/cli/move.test.ts"]);
}, 300_000);

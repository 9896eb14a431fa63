/**
 * `npm run test:near -- [--tests N] [COMMIT]`: runs the quick tests that most likely find a mistake in what changed since a
 * commit (`HEAD` by default): for each changed file the N nearest ones, 8 by default.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../house/imports.ts";
import { createNearest } from "./reach.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: "string", default: "8" } },
});
const [commit = "HEAD"] = positionals;

const nearest = createNearest();
const changed = git("diff", "--name-only", "--diff-filter=d", commit, "--");
const added = git("ls-files", "--others", "--exclude-standard");
const tests = new Set(
  `${changed}${added}`.split("\n").flatMap((file) => nearest(file).slice(0, Number(values.tests))),
);
if (tests.size === 0) process.stdout.write(`no test reaches what changed since ${commit}\n`);
else {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--project", "quick", ...tests];
  process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

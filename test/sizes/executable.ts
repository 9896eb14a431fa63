/**
 * `node test/sizes/executable.ts FILE`: a part of the command's quick tests, with the single executable FILE in place of
 * the built command. The commit decides which part. CI calls it; `CONTINUO_TEST_SINGLE=FILE vitest run test/cli` runs all.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { EXECUTABLE_PARTS, headCommit, partOf } from "./rotation.ts";

const ROOT = join(import.meta.dirname, "../..");

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("give the path of the single executable");
const part = partOf(headCommit().slice(24), EXECUTABLE_PARTS);
process.stdout.write(`== the part of this commit: ${part} of the command's tests\n`);
const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--project", "quick", `--shard=${part}`, "test/cli"];
const env = { ...process.env, CONTINUO_TEST_SINGLE: file };
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env });
process.exitCode = status ?? 1;

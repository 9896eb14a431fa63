/** The quick size passes in any order of its files. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { soakTest } from "./soak-test.ts";

const ROOT = join(import.meta.dirname, "../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

soakTest("tests: the quick size passes in any order", { count: 10, batchSize: 1 }, ({ seed }) => {
  const args = [VITEST, "run", "--project", "quick", "--sequence.seed", String(seed)];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`order ${seed}: ${stdout.slice(-8_000)}`);
});

/**
 * `npm run test:frameworks [-- NAME …]`: the suites of agent frameworks against our adapters, and the adapters' own tests
 * with the real frameworks. Each framework brings the Vitest that its suite needs.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installFramework } from "../scripts/frameworks.ts";
import { ADAPTERS } from "../scripts/packages.ts";
import { installPackage, PINNED } from "./agents/install.ts";

const ROOT = join(import.meta.dirname, "..");

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : ADAPTERS) {
  installFramework(ROOT, name);
  // Its lock file leaves out the program that the SDK starts: the tests of agents have the same one.
  if (name === "claude-agent-sdk") await installPackage(PINNED.claude);
  const folder = join(ROOT, "frameworks", name);
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

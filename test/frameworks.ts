/**
 * `npm run test:frameworks [-- NAME …]`: the suites of agent frameworks against our adapters, and the adapters' own tests
 * with the real frameworks. Each framework brings the Vitest that its suite needs. `hosts` are programs that mount our handler:
 * they are tried by name only, because Next compiles for minutes where others work too.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installFramework } from "../scripts/frameworks.ts";
import { installLocked } from "../scripts/locked-install.ts";
import { ADAPTERS } from "../scripts/packages.ts";
import { installPackage, PINNED } from "./agents/install.ts";

const ROOT = join(import.meta.dirname, "..");

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : ADAPTERS) {
  if (ADAPTERS.includes(name)) installFramework(ROOT, name);
  else installLocked(join(ROOT, "frameworks", name));
  // Its lock file leaves out the program that the SDK starts: the tests of agents have the same one.
  if (name === "claude-agent-sdk") await installPackage(PINNED.claude);
  const folder = join(ROOT, "frameworks", name);
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

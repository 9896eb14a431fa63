/** Other programs that show sessions, each installed from npm by exact version outside of the clone. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** ccusage 20.0.24, because some registries lack the Linux program of later versions. */
const PACKAGES: Readonly<Record<string, string>> = {
  "@anthropic-ai/claude-agent-sdk": "0.3.330",
  ccusage: "20.0.24",
  "codbash-app": "7.17.0",
};

/** The folder that has them in `node_modules`. */
export function installPeers(folder: string): string {
  const name = Object.entries(PACKAGES).map(([one, version]) => `${one.split("/").at(-1)}-${version}`);
  const target = join(folder, `peers-${name.join("-")}`);
  if (existsSync(target)) return target;
  const making = `${target}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
  // Only the SDK, without the 364 MB of the agent; ccusage is one such optional dependency, named here.
  const extra = `@ccusage/ccusage-${process.platform}-${process.arch}@${PACKAGES.ccusage}`;
  const options = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, extra], {
    cwd: making,
    stdio: ["ignore", "ignore", "inherit"],
  });
  renameSync(making, target);
  return target;
}

/**
 * `node scripts/editors.ts`: installs the real VS Code, by which the agent host is tried, in `editors/`. It has a lock file
 * of its own, and a second one for what its server needs; no script of theirs runs. What is installed stays until the lock
 * file changes.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../editors");
/** The folder of VS Code's own server, which has `out/server-main.js`. */
export const VSCODE: string = join(FOLDER, "node_modules/code-server/lib/vscode");

const lock = join(FOLDER, "package-lock.json");
const installed = join(FOLDER, "node_modules/.installed-lock");

if (import.meta.main && !isInstalled()) {
  install(FOLDER);
  // Its server asks for a peer that it does not use.
  install(VSCODE, "--omit=dev", "--legacy-peer-deps");
  copyFileSync(lock, installed);
}

export function isInstalled(): boolean {
  return existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lock, "utf8");
}

function install(folder: string, ...options: readonly string[]): void {
  const all = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...options];
  execFileSync("npm", all, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** A folder with a lock file of its own, installed by npm once for each state of the lock file. No script of a package runs. */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @param finish called after npm, before the folder counts as installed */
export function installLocked(folder: string, finish: () => void = () => undefined): void {
  if (isInstalled(folder)) return;
  npmCi(folder);
  finish();
  copyFileSync(lockOf(folder), noteOf(folder));
}

export function isInstalled(folder: string): boolean {
  const note = noteOf(folder);
  return existsSync(note) && readFileSync(note, "utf8") === readFileSync(lockOf(folder), "utf8");
}

export function npmCi(folder: string, ...options: readonly string[]): void {
  const all = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...options];
  execFileSync("npm", all, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

function lockOf(folder: string): string {
  return join(folder, "package-lock.json");
}

function noteOf(folder: string): string {
  return join(folder, "node_modules/.installed-lock");
}

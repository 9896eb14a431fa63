/**
 * `node scripts/frameworks.ts [NAME …]`: installs the agent frameworks of our adapters, and compiles the adapters
 * and the tests that need the frameworks.
 *
 * Each framework is installed in `frameworks/NAME/`, with a lock file of its own and the suites that others wrote for
 * it, because it is larger than all of Continuo. The adapter in `packages/NAME/` sees it by a link.
 */

import { execFileSync } from "node:child_process";
import { lstatSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { installLocked } from "./locked-install.ts";
import { ADAPTERS } from "./packages.ts";

const ROOT = join(import.meta.dirname, "..");

if (import.meta.main) {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : ADAPTERS) {
    installFramework(ROOT, name);
    compileAdapter(ROOT, name);
  }
}

/** Installs the framework again only if its lock file changed. */
export function installFramework(root: string, name: string): void {
  installLocked(join(root, "frameworks", name));
  const link = join(root, "packages", name, "node_modules");
  const target = join("../../frameworks", name, "node_modules");
  // A compiler that runs at the same time must always find the link.
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return;
  rmSync(link, { recursive: true, force: true });
  symlinkSync(target, link);
}

export function compileAdapter(root: string, name: string): void {
  compile(root, "-b", `packages/${name}`);
  compileTests(root, name);
}

/** The tests in `frameworks/NAME`, whose statements about types only the compiler checks. */
export function compileTests(root: string, name: string): void {
  compile(root, "-p", `frameworks/${name}`);
}

function compile(root: string, ...args: readonly string[]): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, ...args], { cwd: root, stdio: "inherit" });
}

/**
 * The installed packages for a copy of the repository: packages of others are linked, and our own are those of the
 * copy.
 */

import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { installFramework } from "../../scripts/frameworks.ts";
import { ADAPTERS } from "../../scripts/packages.ts";

const MODULES = join(import.meta.dirname, "../../node_modules");

/** Makes `node_modules` in a folder that holds a copy of the repository. */
export function linkModules(copy: string): void {
  const modules = join(copy, "node_modules");
  mkdirSync(join(modules, "@continuo"), { recursive: true });
  for (const name of readdirSync(MODULES)) {
    if (name !== "@continuo" && name !== ".cache") symlinkSync(join(MODULES, name), join(modules, name));
  }
  for (const name of readdirSync(join(copy, "packages")))
    symlinkSync(join("../../packages", name), join(modules, "@continuo", name));
}

/** Links the packages of the extension, which `builtExtension` installs. */
export function linkExtensionModules(copy: string): void {
  const modules = join(copy, "extension/node_modules");
  const installed = join(MODULES, "../extension/node_modules");
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(modules, name));
}

/** Links the frameworks of the adapters, and installs them first if they are missing. */
export function linkFrameworks(copy: string): void {
  const root = join(MODULES, "..");
  for (const name of ADAPTERS) {
    installFramework(root, name);
    const place = join("frameworks", name, "node_modules");
    symlinkSync(join(root, place), join(copy, place));
  }
}

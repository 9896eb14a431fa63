/** The declarations inside of `continuo`: those of its entry points, and what they import. */

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
}

const IMPORTED = /(?:\bfrom|\bimport|\bmodule)\s*\(?\s*["'](\.[^"']+)["']/gu;
const ENDING = /\.d\.ts$/u;

/**
 * Removes the declarations that no entry point needs, such as those of the command: they are more than half of all.
 *
 * @param folder has the compiled files, as `dist` of the package
 */
export function removeUnusedTypes(root: string, folder: string): void {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [join(folder, entry.types.replace(/^\.\/dist\//u, ""))],
  );
  const used = usedTypes(entries);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (ENDING.test(file) && !used.has(join(folder, file))) rmSync(join(folder, file));
  }
}

/** The files, what they import, and so on. Samples in comments import files that do not exist. */
export function usedTypes(entries: readonly string[]): ReadonlySet<string> {
  const used = new Set(entries);
  for (const file of used) {
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORTED)) {
      const imported = join(dirname(file), specifier.replace(/\.[jt]s$/u, ".d.ts"));
      if (existsSync(imported)) used.add(imported);
    }
  }
  return used;
}

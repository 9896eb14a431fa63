/**
 * Threads of our own code start from bundles in tests, as they do in the shipped command. From its sources a thread
 * needs three times the processor time (334 ms instead of 96 ms), and a run starts hundreds of them.
 */

import { dirname, join, relative } from "node:path";
import type { Plugin } from "vitest/config";

const ROOT = join(import.meta.dirname, "../..");
const PREPARED = join(import.meta.dirname, "shared-programs.ts");
const START = /besideBundle\(import\.meta\.filename, "([\w-]+)"\)/gu;

export const bundledThreads: Plugin = {
  name: "bundled-threads",
  enforce: "pre",
  transform: (code, id) => (/\/packages\/.*\.ts$/u.test(id) ? withBundles(code, id) : null),
};

/**
 * Returns the module with each of its threads started from a bundle, or `null` if it starts none.
 * @param id the path of the module
 */
export function withBundles(code: string, id: string): string | null {
  const names = [...new Set([...code.matchAll(START)].map(([, name = ""]) => name))];
  if (names.length === 0) return null;
  const paths = names.map((name) => relative(ROOT, join(dirname(id), `${name}.ts`)));
  return [
    `import { bundledProgram as __bundledProgram } from ${JSON.stringify(PREPARED)};`,
    ...paths.map((path, at) => `const __thread${at} = await __bundledProgram(${JSON.stringify(path)});`),
    code.replace(START, (_, name: string) => `__thread${names.indexOf(name)}`),
  ].join("\n");
}

/**
 * Threads of our own code start in tests as they start in the shipped command: from bundles. From its sources a thread
 * takes three times the processor time (334 to 96 ms), and a run starts hundreds of them.
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

/** The module with each of its threads started from a bundle; `null` if it starts none. @param id of the module: its path */
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

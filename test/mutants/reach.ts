/**
 * Finds the test files that reach a source file, and over how many imports. A file that is named in a string, such as the
 * script of a child process, counts as imported; a test that asks for the bundled command imports all of it.
 */

import { dirname, posix } from "node:path";
import { readSource, type SourceFile } from "../house/imports.ts";

export interface Reach {
  /** Below the root of the package, with `/`. */
  readonly test: string;
  readonly distance: number;
}

const COMMAND = "src/cli/main.ts";
/** It reads the texts of errors in every file. */
const ERROR_TEXTS = "test/house/error-texts.test.ts";
const NAMED = /["'`]([\w./-]+\.ts)["'`]/gu;

/** For each source file, below the root: the tests that reach it, nearest first. */
export function readReaches(): (path: string) => readonly Reach[] {
  const importers = new Map<string, Set<string>>();
  for (const source of [...readSource(), ...readSource("test")]) {
    for (const to of targetsOf(source)) {
      const known = importers.get(to) ?? new Set();
      importers.set(to, known.add(source.file));
    }
  }
  return (path) => reachesOf(path, importers);
}

function targetsOf({ file, text, imports }: SourceFile): readonly string[] {
  const imported = imports.map((one) => one.file).filter((one) => one !== "");
  // The programs that a test bundles are named from the root.
  const named = [...text.matchAll(NAMED)].map(([, name = ""]) =>
    name.startsWith("test/") ? name : posix.join(dirname(file), name),
  );
  const command = /\bbundledCommand\(/u.test(text) ? [COMMAND] : [];
  return [...imported, ...named, ...command];
}

function reachesOf(path: string, importers: ReadonlyMap<string, ReadonlySet<string>>): readonly Reach[] {
  const distances = new Map([[path, 0]]);
  for (const [one, distance] of distances) {
    for (const importer of importers.get(one) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return [...distances]
    .filter(([one]) => one.endsWith(".test.ts") && !/\.(?:full|soak|agents)\.test\.ts$/u.test(one))
    .map(([test, distance]) => ({ test, distance: isBeside(test, path) ? 0 : distance }))
    .concat({ test: ERROR_TEXTS, distance: 0 })
    .sort((a, b) => a.distance - b.distance || (a.test < b.test ? -1 : 1));
}

/** In the file's own folder a test is about the file, over however many imports it reaches it. */
function isBeside(test: string, path: string): boolean {
  return posix.dirname(test) === posix.dirname(path);
}

/**
 * Finds the test files that reach a source file, and the number of imports between them. A file that is named in a
 * string, such as the script of a child process, counts as imported; a test that uses the bundled command imports all
 * of it. Hundreds of tests reach most files through the same entry points, so the words of a test decide whether it is
 * about the file.
 */

import { dirname, posix } from "node:path";
import { readSource, type SourceFile } from "../house/imports.ts";

export interface Reach {
  /** The path below the root of the package, with `/`. */
  readonly test: string;
  readonly distance: number;
}

const COMMAND = "src/cli/main.ts";
/** This test reads the texts of errors in every file. */
const ERROR_TEXTS = "test/house/error-texts.test.ts";
const NAMED = /["'`]([\w./-]+\.ts)["'`]/gu;

/** Returns, for each source file below the root, the tests that reach it, nearest first. */
export function readReaches(): (path: string) => readonly Reach[] {
  const importers = readImporters();
  return (path) => reachesOf(path, importers);
}

function readImporters(): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map<string, Set<string>>();
  for (const source of [...readSource(), ...readSource("test")]) {
    for (const to of targetsOf(source)) {
      const known = importers.get(to) ?? new Set();
      importers.set(to, known.add(source.file));
    }
  }
  return importers;
}

function targetsOf({ file, text, imports }: SourceFile): readonly string[] {
  const imported = imports.map((one) => one.file).filter((one) => one !== "");
  // A test names the programs that it bundles from the root.
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

/**
 * Returns the tests that most likely find a mistake in a file, the likeliest first: those that import it, and then by
 * the words that they share with it. A rare word counts more (the cosine of TF-IDF vectors).
 */
export function createNearest(): (path: string) => readonly string[] {
  const reachesOf = readReaches();
  const words = new Map([...readSource(), ...readSource("test")].map((one) => [one.file, wordsOf(one)]));
  const files = new Map<string, number>();
  for (const counts of words.values())
    for (const word of counts.keys()) files.set(word, (files.get(word) ?? 0) + 1);
  const vectorOf = (path: string): ReadonlyMap<string, number> => {
    const weights = [...(words.get(path) ?? [])].map(([word, count]) => {
      const rarity = Math.log(words.size / (files.get(word) ?? 1));
      return [word, (1 + Math.log(count)) * rarity] as const;
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(weights.map(([word, weight]) => [word, weight / length]));
  };
  return (path) => {
    const own = vectorOf(path);
    const scoreOf = ({ test, distance }: Reach): number =>
      [...vectorOf(test)].reduce(
        (sum, [word, weight]) => sum + weight * (own.get(word) ?? 0),
        distance === 1 ? 1 : 0,
      );
    return reachesOf(path)
      .filter(({ test }) => !test.startsWith("test/house/"))
      .map((reach) => ({ test: reach.test, score: scoreOf(reach) }))
      .sort((a, b) => b.score - a.score)
      .map(({ test }) => test);
  };
}

/** The words of a file's path and content, each part of a name by itself, with their counts. */
function wordsOf({ file, text }: SourceFile): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of `${file} ${text}`.matchAll(/[A-Z]?[a-z]{2,}/gu)) {
    const stem = word.toLowerCase().replace(/(?:s|ed|ing)$/u, "");
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns true if the test is in the file's own folder: it is about the file, however many imports are between them.
 */
function isBeside(test: string, path: string): boolean {
  return posix.dirname(test) === posix.dirname(path);
}

/**
 * Finds the test files that reach a source file, and the number of imports between them. A file that is named in a
 * string, such as the script of a child process, counts as imported; a test that uses the bundled command imports all
 * of it. Hundreds of tests reach most files through the same entry points, so the words of a test decide whether it is
 * about the file.
 */

import { dirname, posix } from "node:path";
import { COMMAND_ENTRIES } from "../../scripts/bundle.ts";
import { readSource, type SourceFile, withoutComments } from "../house/imports.ts";

export interface Reach {
  /** The path below the root of the package, with `/`. */
  readonly test: string;
  readonly distance: number;
}

/** This test reads the texts of errors in every file. */
const ERROR_TEXTS = "test/house/error-texts.test.ts";
const NAMED = /["'`]([\w./-]+\.ts)["'`]/gu;
/** A use of the bundled command, or the name of the file with which it begins. */
const COMMAND = /(?<!function )\bbundledCommand\(|["'`]src\/cli\/main\.ts["'`]/u;
/** The start of a thread, by the name of a file in the same folder. */
const THREAD = /\bbesideBundle\(import\.meta\.filename, "([\w-]+)"\)/gu;

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

const known = new WeakMap<SourceFile, readonly string[]>();

/** Programs share most of their sources, so the targets of a file are found once. */
function targetsOf(source: SourceFile): readonly string[] {
  const before = known.get(source);
  if (before !== undefined) return before;
  const imported = source.imports.map((one) => one.file).filter((one) => one !== "");
  const targets = [...imported, ...programsOf(source)];
  known.set(source, targets);
  return targets;
}

/** The files that this one names in strings, those of the threads that it starts, and those of the command, if it uses it. */
function programsOf({ file, text }: Pick<SourceFile, "file" | "text">): readonly string[] {
  const folder = dirname(file);
  const code = withoutComments(text);
  // A test names the programs that it bundles from the root.
  const named = [...code.matchAll(NAMED)].map(([, name = ""]) =>
    name.startsWith("test/") ? name : posix.join(folder, name),
  );
  const threads = [...code.matchAll(THREAD)].map(([, name = ""]) => posix.join(folder, `${name}.ts`));
  return [...named, ...threads, ...(COMMAND.test(code) ? COMMAND_ENTRIES : [])];
}

/** All sources of the programs that a file starts, without those of its imports. */
export function sourcesOfPrograms(file: string): readonly string[] {
  const sources = new Map([...readSource(), ...readSource("test")].map((one) => [one.file, one]));
  const own = sources.get(file);
  if (own === undefined) return [];
  const imported = new Set(own.imports.map((one) => one.file));
  const reached = new Set(programsOf(own).filter((one) => sources.has(one) && !imported.has(one)));
  for (const one of reached)
    for (const to of targetsOf(sources.get(one) as SourceFile)) if (sources.has(to)) reached.add(to);
  return [...reached];
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

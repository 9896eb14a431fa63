/**
 * `npm run test:mutants [-- --count N] [--seed N] [--shard K/N] [--jobs N]
 * [--rooms a,b] [--floor PERCENT] [--tests N]`: plants random mistakes in
 * the source, one at a time, and reports those that no test of the quick size finds. `--shard 1/2` tries every
 * second of the mistakes that the seed draws, `2/2` the others; `--jobs 2` tries two at the same time.
 * `--promises` plants the mistakes of meaning that `promises/` holds instead, each of which its own test has to find.
 * `--nearest 8` runs the 8 nearest tests in place of that one. `--list FILE` takes the mistakes from a JSON file, whose
 * rows need no test. `--after-quick` is for CI, where the quick size passed before on the same commit: it takes a part of
 * the promises, which the commit decides, and ends after 55 seconds.
 *
 * Mistakes are planted in a copy of the package below the temporary folder: the source itself is never changed,
 * whatever ends this program. For each mistake the tests that run its function come first, the quick ones before
 * the long ones, and then all that reach its file in another way: through a process that they start, or when it is
 * loaded. A survivor that the type checker refuses is no survivor. StrykerJS was not taken: it makes all mutants of
 * a file and cannot draw some at random, and it does not follow tests into the processes that they start.
 */

import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { readSource } from "../house/imports.ts";
import { headCommit, PROMISE_PARTS, partOf } from "../sizes/rotation.ts";
import { openTemporaryFolder } from "../sizes/temporary.ts";
import { drawFrom, randomFrom } from "../store/harness/random.ts";
import { baselineOf, copyPackage, isFoundBy, isRefusedByCompiler, replaceFile, restore } from "./copy.ts";
import { type Mutant, mutantsOf, plant } from "./mutate.ts";
import { probe, withProbes } from "./probe.ts";
import { PROMISES } from "./promises/index.ts";
import { createNearest, type Reach, readReaches } from "./reach.ts";
import { type Planted as PlantedPromise, replayPromises, verdictOf } from "./replay.ts";

interface Planted extends Mutant {
  /** The path below the root, with `/`. */
  readonly path: string;
}

interface Outcome {
  readonly planted: Planted;
  readonly result: "found" | "survived" | "refused by the compiler";
  readonly testFiles: number;
}

const DEFAULT_ROOMS = ["store", "sessions", "transcript", "handoff", "editing"];
/** Test files run in turns of this many seconds together, then all others. */
const TURNS_SECONDS = [5, 20, 60];
/** The number of tests that may find a mistake whose row names none. */
const NEAREST = 8;
/** In CI, tests are ended after this time, because a step of CI may take a minute. */
const CI_SECONDS = 55;
/** The path below the copy of the package. */
const RUNNING = "home/running.tsv";

const options = readOptions();
process.exitCode = options.isOfPromises ? await replay() : await main();

async function replay(): Promise<number> {
  const startedAtMs = Date.now();
  const { isAfterQuick } = options;
  const part = partOf(headCommit().slice(16), PROMISE_PARTS);
  const { index, of } = isAfterQuick ? readShard(part) : options.shard;
  if (isAfterQuick) tell(`== the part of this commit: ${part} of the promises`);
  const promises = options.list === undefined ? promisesOfRooms() : readList(options.list);
  const chosen = promises.filter((_, at) => at % of === index - 1);
  endOnSignals();
  // Only a row without a test needs the comparison with the words of all files, which takes seconds.
  const isGiven = options.nearest === undefined && promises.every(({ test }) => test !== undefined);
  const nearestOf = isGiven ? () => [] : createNearest();
  const testsOf = ({ file, test }: PlantedPromise): readonly string[] =>
    test === undefined || options.nearest !== undefined
      ? nearestOf(file).slice(0, options.nearest ?? NEAREST)
      : [test];
  const folders = makeCopies(options.jobs);
  const endsAtMs = isAfterQuick ? startedAtMs + CI_SECONDS * 1_000 : Number.POSITIVE_INFINITY;
  const replayed = { folders, promises: chosen, testsOf, tell, endsAtMs, havePassed: isAfterQuick };
  const outcome = await replayPromises(replayed);
  for (const one of outcome.survivors)
    tell(`survivor: ${one.file}: ${one.promise} (${testsOf(one).join(", ")})`);
  const { lines, exitCode } = verdictOf(outcome, chosen.length);
  for (const line of lines) tell(line);
  return exitCode;
}

function promisesOfRooms(): readonly PlantedPromise[] {
  const rooms = options.rooms ?? Object.keys(PROMISES);
  return rooms.flatMap((room) => {
    const some = PROMISES[room];
    if (some === undefined) throw new Error(`no promises of a room ${room}`);
    return some;
  });
}

function readList(file: string): readonly PlantedPromise[] {
  return JSON.parse(readFileSync(file, "utf8"));
}

function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(130));
}

async function main(): Promise<number> {
  const { count, seed, rooms = DEFAULT_ROOMS, floor } = options;
  const files = readSource().filter(
    ({ path }) => !path.endsWith(".test.ts") && rooms.some((room) => path.startsWith(`${room}/`)),
  );
  const empty = rooms.filter((room) => !files.some(({ path }) => path.startsWith(`${room}/`)));
  if (empty.length > 0) throw new Error(`there is no room ${empty.join(", ")}`);
  const all = files.flatMap(({ file, text }) =>
    mutantsOf(text).map((mutant): Planted => ({ path: file, ...mutant })),
  );
  const { index, of } = options.shard;
  const chosen = drawFrom(all, count, randomFrom(seed)).filter((_, at) => at % of === index - 1);
  tell(`${chosen.length} of ${all.length} mutants of ${rooms.join(", ")}, seed ${seed}`);
  endOnSignals();
  const outcomes = await tryAll(makeCopies(options.jobs), chosen);
  return report(outcomes, floor);
}

/** One copy for each mistake that is tried at the same time; only the first one takes time. */
function makeCopies(count: number): readonly string[] {
  const temporary = openTemporaryFolder();
  process.once("exit", () => temporary[Symbol.dispose]());
  const folders = Array.from({ length: count }, (_, at) => join(realpathSync(temporary.path), `copy-${at}`));
  for (const [at, folder] of folders.entries()) {
    mkdirSync(folder);
    copyPackage(folder, at === 0 ? undefined : folders[0]);
  }
  return folders;
}

async function tryAll(folders: readonly string[], chosen: readonly Planted[]): Promise<readonly Outcome[]> {
  const reachesOf = readReaches();
  const reaching = new Set(chosen.flatMap(({ path }) => reachesOf(path).map(({ test }) => test)));
  tell(`the ${reaching.size} test files that reach them, without a mutant …`);
  const [first = ""] = folders;
  plantProbes(first, chosen);
  const { failing, durations } = await baselineOf(first, [...reaching]);
  const running = readRunning(first);
  for (const { path } of chosen) restore(first, path);
  for (const path of failing) tell(`${path} fails without a mutant and is left out`);
  const outcomes: Outcome[] = [];
  const queue = chosen.values();
  const takeFrom = async (folder: string): Promise<void> => {
    for (const planted of queue) {
      const tests = reachesOf(planted.path).filter(({ test }) => !failing.has(test));
      const runsIt = running.get(nameOf(planted)) ?? new Set();
      const near = tests.filter(({ test }) => runsIt.has(test)).map(({ test }) => ({ test, distance: 0 }));
      const others = tests.filter(({ test }) => !runsIt.has(test)).slice(0, options.tests);
      const turns = [...turnsOf(near, durations), ...turnsOf(others, durations)];
      const outcome = await tryOne(folder, planted, turns, durations);
      outcomes.push(outcome);
      const of = `${outcomes.length}/${chosen.length}`;
      tell(`${of} ${outcome.result}: ${placeOf(planted)} ${planted.description}`);
    }
  };
  await Promise.all(folders.map(takeFrom));
  return outcomes;
}

function nameOf({ path, start }: Pick<Planted, "path" | "start">): string {
  return `${path}:${start}`;
}

/** Plants probes. Each test file that runs the function of a mutant then adds a line to `RUNNING`. */
function plantProbes(folder: string, chosen: readonly Planted[]): void {
  const file = join(folder, RUNNING);
  for (const [path, mutants] of Map.groupBy(chosen, (planted) => planted.path)) {
    const places = [...new Set(mutants.map(({ start }) => start))];
    const copy = join(folder, path);
    const probed = withProbes(readFileSync(copy, "utf8"), places, (start) =>
      probe(file, nameOf({ path, start })),
    );
    replaceFile(copy, probed);
  }
}

/** The test files that ran the function of a mutant, by the mutant's name. */
function readRunning(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const file = join(folder, RUNNING);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const running = new Map<string, Set<string>>();
  for (const line of lines) {
    const [test = "", name = ""] = line.split("\t");
    const tests = running.get(name) ?? new Set();
    running.set(name, tests.add(relative(folder, test)));
  }
  return running;
}

/**
 * Returns the tests in turns, near and quick ones first: a test that is twice as far, or takes twice as long, comes
 * later.
 */
function turnsOf(tests: readonly Reach[], durations: ReadonlyMap<string, number>): readonly string[][] {
  const secondsOf = (test: string) => (durations.get(test) ?? 0) / 1000;
  const cost = ({ test, distance }: Reach) => (distance + 1) * (secondsOf(test) + 1);
  const turns: string[][] = [];
  let seconds = 0;
  for (const { test } of tests.toSorted((a, b) => cost(a) - cost(b))) {
    const limit = TURNS_SECONDS[turns.length - 1] ?? Number.POSITIVE_INFINITY;
    if (turns.length === 0 || seconds + secondsOf(test) > limit) {
      turns.push([]);
      seconds = 0;
    }
    seconds += secondsOf(test);
    turns.at(-1)?.push(test);
  }
  return turns;
}

async function tryOne(
  folder: string,
  planted: Planted,
  turns: readonly (readonly string[])[],
  durations: ReadonlyMap<string, number>,
): Promise<Outcome> {
  const path = join(folder, planted.path);
  const source = readFileSync(path, "utf8");
  const outcome = (result: Outcome["result"]): Outcome => ({
    planted,
    result,
    testFiles: turns.flat().length,
  });
  replaceFile(path, plant(source, planted));
  try {
    for (const some of turns) if (await isFoundBy(folder, some, durations)) return outcome("found");
    return outcome(isRefusedByCompiler(folder) ? "refused by the compiler" : "survived");
  } finally {
    replaceFile(path, source);
  }
}

function report(outcomes: readonly Outcome[], floor: number): number {
  const valid = outcomes.filter(({ result }) => result !== "refused by the compiler");
  const survivors = valid.filter(({ result }) => result === "survived");
  for (const { planted, testFiles } of survivors) {
    tell(`survivor: ${placeOf(planted)} ${planted.description} (${testFiles} test files)`);
  }
  const found = valid.length - survivors.length;
  const percent = valid.length === 0 ? 100 : (100 * found) / valid.length;
  tell(`${found} of ${valid.length} found (${percent.toFixed(1)} %), seed ${options.seed}`);
  return percent >= floor ? 0 : 1;
}

function placeOf({ path, start }: Planted): string {
  const line = readFileSync(path, "utf8").slice(0, start).split("\n").length;
  return `${path}:${line}`;
}

interface Options {
  readonly count: number;
  readonly seed: number;
  /** The number of the shard, from 1 to `of`. */
  readonly shard: { readonly index: number; readonly of: number };
  /** The number of mutants that are tried at the same time. */
  readonly jobs: number;
  readonly rooms: readonly string[] | undefined;
  /** True if the mistakes of `promises/` are planted. */
  readonly isOfPromises: boolean;
  /** True in CI, where the quick size passed before. */
  readonly isAfterQuick: boolean;
  readonly nearest: number | undefined;
  readonly list: string | undefined;
  readonly floor: number;
  readonly tests: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "50" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
      jobs: { type: "string", default: "1" },
      shard: { type: "string", default: "1/1" },
      rooms: { type: "string" },
      promises: { type: "boolean", default: false },
      "after-quick": { type: "boolean", default: false },
      nearest: { type: "string" },
      list: { type: "string" },
      floor: { type: "string", default: "90" },
      // The number of test files that run although they do not run the mutant's function: fewer are faster, and
      // may miss one that finds it.
      tests: { type: "string", default: "1000" },
    },
  });
  const number = (name: "count" | "seed" | "jobs" | "floor" | "tests" | "nearest"): number => {
    const text = values[name] ?? "";
    if (!/^\d{1,9}$/u.test(text)) throw new Error(`--${name} takes a whole number, not ${text}`);
    return Number(text);
  };
  return {
    count: number("count"),
    seed: number("seed"),
    jobs: number("jobs"),
    shard: readShard(values.shard),
    rooms: values.rooms?.split(",").filter(Boolean),
    isOfPromises: values.promises,
    isAfterQuick: values["after-quick"],
    nearest: values.nearest === undefined ? undefined : number("nearest"),
    list: values.list,
    floor: number("floor"),
    tests: number("tests"),
  };
}

function readShard(text: string): Options["shard"] {
  const [index = 0, of = 0] = (/^\d{1,4}\/\d{1,4}$/u.test(text) ? text.split("/") : []).map(Number);
  if (index < 1 || index > of) throw new Error(`--shard takes K/N with K from 1 to N, not ${text}`);
  return { index, of };
}

function tell(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

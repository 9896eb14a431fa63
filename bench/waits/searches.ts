/**
 * Searches for 40 words, each compared with `rg` for the same word on the same files. They are measured by the clock,
 * because `rg` uses several processors, and a person waits for the slower one of two, whatever it uses.
 */

import { globSync } from "node:fs";
import { join } from "node:path";
import { type Command, type Measurement, measure } from "../measure/index.ts";
import { createRandom } from "../sessions/random.ts";
import { makeWords } from "../sessions/vocabulary.ts";
import type { BenchCommands } from "./bench-commands.ts";
import type { Rows } from "./rows.ts";
import { measured, notMeasured } from "./targets.ts";

const COUNT = 40;
const ROUNDS = 3;

/** Queries of people, from words in most sessions to words in one. */
export const QUERIES: readonly string[] = makeQueries();

export function searchRows({ continuo, home, ofSessions }: BenchCommands): Rows {
  const hasScanner = hasProgram("rg");
  const commands = QUERIES.flatMap((word): readonly Command[] => {
    const search = continuo(word, "search", "--json", word);
    // All files of a home are in hidden folders.
    const scan: Command = { name: word, argv: ["rg", "-l", "-uu", "-e", word, home] };
    return hasScanner ? [search, scan] : [search];
  });
  const all = measure(commands, { rounds: ROUNDS, warmUp: false, memory: "none" });
  if (!hasScanner) {
    const why = "this machine has no `rg`";
    const missing = [notMeasured("searchAndScan", why), notMeasured("searchWorst", why)];
    return [measured("search", p95(all), `one process each, ${ofSessions}`), ...missing];
  }
  const searched = all.filter((_, at) => at % 2 === 0);
  const scanned = all.filter((_, at) => at % 2 === 1);
  const worst = slowestOf(searched, scanned);
  return [
    measured("search", p95(searched), `one process each, ${ofSessions}`),
    measured(
      "searchAndScan",
      p95(searched) / p95(scanned),
      `${p95(scanned).toFixed(0)} ms of \`rg -l -uu\`, ${ofSessions}`,
    ),
    measured(
      "searchWorst",
      worst.ratio,
      `${worst.ms} ms, \`${worst.word}\`, medians of ${ROUNDS}, ${ofSessions}`,
    ),
  ];
}

interface Slowest {
  readonly word: string;
  readonly ratio: number;
  readonly ms: string;
}

/** The query that takes longest compared with the scan for the same word. */
function slowestOf(searched: readonly Measurement[], scanned: readonly Measurement[]): Slowest {
  const ratios = searched.map(({ name, medianMs }, at): Slowest => {
    const scanMs = scanned[at]?.medianMs ?? Number.NaN;
    return { word: name, ratio: medianMs / scanMs, ms: `${medianMs.toFixed(0)} / ${scanMs.toFixed(0)}` };
  });
  const [slowest] = ratios.toSorted((a, b) => b.ratio - a.ratio);
  if (slowest === undefined) throw new Error("nothing was searched for");
  return slowest;
}

function p95(all: readonly Measurement[]): number {
  const times = all.map(({ medianMs }) => medianMs).toSorted((a, b) => a - b);
  return times[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
}

function makeQueries(): readonly string[] {
  const words = makeWords();
  const random = createRandom(31);
  return Array.from({ length: COUNT }, (_, at) => {
    const most = 10 ** (1 + (3.7 * at) / COUNT);
    return words[random.int(0, Math.min(words.length - 1, Math.round(most)))] ?? "middle";
  });
}

function hasProgram(name: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => globSync(join(folder, name)).length > 0);
}

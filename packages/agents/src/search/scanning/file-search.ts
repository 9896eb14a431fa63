/** The part of a search that reads sessions: native ones in threads, others here. */

import { setImmediate as otherWork } from "node:timers/promises";
import { messageOf, present } from "@continuo/core/model";
import { type Places, placesOf } from "@continuo/files";
import { countTurns, indexPathOf, meanWordsOf, useIndex } from "@continuo/native/index-file";
import { type CatalogSource, toScanned } from "../../catalog/index.ts";
import {
  type BestMatch,
  bestFirst,
  eachConversationOnce,
  type SearchQuery,
  type SearchResult,
  type TurnStatistics,
  toExpressions,
  toFormExpressions,
} from "../query/index.ts";
import type { SizedSource } from "./batches.ts";
import { SCAN_LIMITS } from "./limits.ts";
import { createScan, type ScanResult, type ScanTask, scanTexts } from "./scan.ts";
import type { ScanThreads } from "./scan-threads.ts";
import type { ScannedResult } from "./session-matcher.ts";

export interface FileSearchOptions {
  readonly threads: ScanThreads;
  /** Set if a turn may match with most of the words. */
  readonly best?: BestMatch;
  readonly places: Places;
  readonly exclude: readonly string[];
  readonly nowMs: number;
  readonly regex?: RegExp;
  readonly regexMs?: number;
  readonly secrets?: "masked";
  /** Aborted when no further results are needed. */
  readonly stop: AbortSignal;
  /** Number of the best sessions that are shown; all without it. */
  readonly limit?: number;
  readonly onScanned: (scanning: Pick<FileSearch, "left" | "results">) => void;
}

/** The results so far. */
export interface FileSearch extends ScanResult {
  /** Sessions that are still to be searched. */
  readonly left: number;
  /**
   * Resolves to true if turns in the index and turns in files are ranked by the same statistics. An index with few
   * turns has too few words, so its sessions are then searched in their files like the others.
   */
  isRankedAlike(): Promise<boolean>;
  /**
   * Searches the sources in the given order. Sessions that are not among the best are only counted.
   *
   * Errors: those of `ScanThreads.scan`.
   */
  scan(sources: readonly CatalogSource[]): Promise<void>;
}

export function createFileSearch(query: SearchQuery, options: FileSearchOptions): FileSearch {
  const { threads, stop, regex, regexMs, onScanned } = options;
  const results: ScannedResult[] = [];
  const known = new Map<string, CatalogSource>();
  let bestScores: readonly number[] = [];
  const leastScore = (): number | undefined => {
    return options.limit === undefined ? undefined : bestScores[options.limit - 1];
  };
  const unreadable: ScanResult["unreadable"][number][] = [];
  const counts = { left: 0, cut: 0 };
  const expressions = expressionsOf(query, options.best ?? null);
  let statistics: Promise<TurnStatistics | null> | null = null;
  /** The words are counted once, so that all scans rank by the same statistics. */
  const counted = (): Promise<TurnStatistics | null> => {
    statistics ??= countedStatistics(expressions, placesOf(options.places));
    return statistics;
  };
  const add = (scanned: ScanResult, sessions: number): void => {
    results.push(...scanned.results);
    if (options.limit !== undefined) {
      const scores = scanned.results.filter(({ briefOf }) => briefOf === undefined).map(({ score }) => score);
      bestScores = [...bestScores, ...scores].sort((a, b) => b - a).slice(0, options.limit);
    }
    unreadable.push(...scanned.unreadable);
    counts.cut += scanned.cut;
    counts.left -= sessions;
    onScanned({ left: counts.left, results });
  };
  const scanAll = async (
    sources: readonly CatalogSource[],
    leastScore: () => number | undefined,
  ): Promise<void> => {
    if (sources.length === 0) return;
    counts.left += sources.length;
    const task = toTask(query, (await counted()) ?? guessedStatistics(expressions), options);
    const native = sources.flatMap(({ found, sizeBytes }) =>
      found === undefined ? [] : [{ found, sizeBytes }],
    );
    const others = sources.filter(({ found }) => found === undefined);
    const here = { task, stop, leastScore, add };
    const batchMs = regex === undefined ? undefined : regexMs;
    const isSmall = native.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= SCAN_LIMITS.hereBytes;
    await Promise.all([
      isSmall && batchMs === undefined
        ? scanNativeHere(native, here)
        : threads.scan({ task, stop, leastScore, onScanned: add, sources: native, ...present({ batchMs }) }),
      scanOthersHere(others, here),
    ]);
  };
  return {
    results,
    unreadable,
    get left() {
      return counts.left;
    },
    get cut() {
      return counts.cut;
    },
    isRankedAlike: async () => expressions.length === 0 || (await counted()) !== null,
    async scan(sources) {
      for (const source of sources) known.set(source.key, source);
      await scanAll(sources, leastScore);
      // An own session replaces the native session in which it continues, so a session that was only counted can become
      // one of the best.
      for (;;) {
        const keys = briefOfBest(results, options.limit);
        if (keys.size === 0 || stop.aborted) return;
        const isOf = ({ session: { location } }: SearchResult): boolean =>
          keys.has(location) || keys.has(location.slice(0, location.lastIndexOf("#")));
        results.splice(0, results.length, ...results.filter((one) => !isOf(one)));
        await scanAll(
          [...keys].flatMap((key) => known.get(key) ?? []),
          () => undefined,
        );
      }
    },
  };
}

/** The sources of the best results that were only counted. */
function briefOfBest(results: readonly ScannedResult[], limit: number | undefined): ReadonlySet<string> {
  if (results.every(({ briefOf }) => briefOf === undefined)) return new Set();
  const best = bestFirst(eachConversationOnce(results), limit);
  return new Set(best.flatMap(({ briefOf }) => briefOf ?? []));
}

function toTask(query: SearchQuery, statistics: TurnStatistics, options: FileSearchOptions): ScanTask {
  const { exclude, nowMs, regex, secrets = "shown", best = null } = options;
  return {
    query,
    best,
    places: placesOf(options.places),
    exclude,
    nowMs,
    secrets,
    statistics,
    regex: regex === undefined ? null : { source: regex.source, flags: regex.flags },
  };
}

interface FileSearchContext {
  readonly task: ScanTask;
  readonly stop: AbortSignal;
  readonly leastScore: () => number | undefined;
  readonly add: (scanned: ScanResult, sessions: number) => void;
}

async function scanNativeHere(
  sources: readonly SizedSource[],
  { task, stop, leastScore, add }: FileSearchContext,
): Promise<void> {
  const scan = createScan(task);
  for (const { found } of sources) {
    if (stop.aborted) return;
    add(await scan([found], leastScore()), 1);
    await otherWork();
  }
}

/** Sessions of Continuo, and sessions in the trash: the other threads do not know where they are. */
async function scanOthersHere(
  sources: readonly CatalogSource[],
  { task, stop, add }: FileSearchContext,
): Promise<void> {
  for (const source of sources) {
    if (stop.aborted) return;
    try {
      using text = await source.open(stop, null);
      const { key, changedMs } = source;
      add(await scanTexts([toScanned(text)], task, { source: key, changedMs }), 1);
    } catch (error) {
      if (stop.aborted) return;
      add({ results: [], unreadable: [{ location: source.key, message: messageOf(error) }], cut: 0 }, 1);
    }
  }
}

/** The usual length of the turns of coding agents, if the index does not show it. */
const MEAN_WORDS = 600;
/** The assumed frequency of a word, if the index does not show it: one turn of a hundred. */
const UNKNOWN_SHARE = 0.01;

function expressionsOf(query: SearchQuery, best: BestMatch | null): readonly string[] {
  return best === null ? toExpressions(query) : toFormExpressions(query, best);
}

/** The statistics that are used while the index knows too little. */
function guessedStatistics(expressions: readonly string[]): TurnStatistics {
  const turns = SCAN_LIMITS.knownTurns;
  return { turns, withPhrase: expressions.map(() => turns * UNKNOWN_SHARE), meanWords: MEAN_WORDS };
}

/** Counts the words of the query in the index; `null` if it has too few turns. */
async function countedStatistics(
  expressions: readonly string[],
  places: Places,
): Promise<TurnStatistics | null> {
  const used = await useIndex(indexPathOf(places), "read", (database): TurnStatistics | null => {
    const turns = countTurns(database);
    if (turns < SCAN_LIMITS.knownTurns) return null;
    const withPhrase = expressions.map((expression) => countTurns(database, expression));
    return { turns, withPhrase, meanWords: meanWordsOf(database) ?? MEAN_WORDS };
  });
  return used.state === "ready" ? used.value : null;
}

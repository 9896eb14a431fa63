/** Searches a session in its own files: if its bytes contain the words, it is read turn by turn. */

import { messageOf, present } from "@continuo/core/model";
import { maskSecrets } from "@continuo/core/transcript";
import type { Places } from "@continuo/files";
import { filterTexts, hasLines, type ScannedText, scanText } from "../../catalog/index.ts";
import { createByteFilter } from "../bytes/index.ts";
import type { BestMatch, SearchQuery, TurnStatistics } from "../query/index.ts";
import type { NativeSource } from "./batches.ts";
import { createBestMatcher } from "./best-matcher.ts";
import { createLineSearch } from "./line-search.ts";
import {
  createMatcher,
  type MatchedSession,
  type MatcherOptions,
  type ScannedResult,
} from "./session-matcher.ts";

/** The query as plain data. */
export interface ScanTask {
  readonly query: SearchQuery;
  /** Set if a turn may match with most of the words. */
  readonly best: BestMatch | null;
  readonly places: Places;
  /** The same as in `TextsOptions`. */
  readonly exclude: readonly string[];
  readonly nowMs: number;
  readonly statistics: TurnStatistics;
  readonly regex: { readonly source: string; readonly flags: string } | null;
  readonly secrets: "shown" | "masked";
}

export interface ScanResult {
  readonly results: readonly ScannedResult[];
  readonly unreadable: readonly { readonly location: string; readonly message: string }[];
  /** The number of sessions in which one of the read texts is too long to be searched whole. */
  readonly cut: number;
}

/**
 * Searches native sessions. Blocks the thread for as long as reading takes.
 *
 * @param leastScore as in `MatcherOptions`
 */
export type ScanSessions = (sessions: readonly NativeSource[], leastScore?: number) => Promise<ScanResult>;

export function createScan(task: ScanTask): ScanSessions {
  const matcherOptions = toMatcherOptions(task);
  const { filter } = matcherOptions;
  const { agents } = task.query;
  // Any line of a session may name an excluded folder, so single lines are not enough.
  const lookAtLines = task.exclude.length > 0 ? null : createLineSearch(matcherOptions);
  return async (sessions, leastScore) => {
    const ofAgents = sessions.filter(({ agent }) => agents.length === 0 || agents.includes(agent));
    const withLines = new Set<NativeSource>();
    for (const found of ofAgents) if (lookAtLines !== null && (await hasLines(found))) withLines.add(found);
    const others = ofAgents.filter((found) => !withLines.has(found));
    const wanted = new Set(filter.isSelective ? await filterTexts(others, () => filter.begin().add) : others);
    const all: ScanResult[] = [];
    for (const found of ofAgents) {
      const isOfLines = withLines.has(found);
      if (!isOfLines && !wanted.has(found)) continue;
      const look = isOfLines && lookAtLines !== null ? await lookAtLines(found, leastScore) : "read";
      if (look !== "read") {
        all.push({ results: look === null ? [] : [look], unreadable: [], cut: 0 });
        continue;
      }
      const changedMs = Math.max(...found.files.map(({ mtimeMs }) => mtimeMs));
      const options = { source: found.location, changedMs, ...present({ leastScore }) };
      all.push(await scanTexts(scanText(found, task), task, options));
    }
    return {
      results: all.flatMap(({ results }) => results),
      unreadable: all.flatMap(({ unreadable }) => unreadable),
      cut: all.reduce((sum, { cut }) => sum + cut, 0),
    };
  };
}

/** Searches the texts of one session. */
export async function scanTexts(
  texts: AsyncIterable<ScannedText> | Iterable<ScannedText>,
  task: ScanTask,
  { source, changedMs, leastScore }: MatchedSession & Pick<MatcherOptions, "leastScore">,
): Promise<ScanResult> {
  const options = { ...toMatcherOptions(task), ...present({ leastScore }) };
  const results: ScannedResult[] = [];
  let cut = 0;
  try {
    for await (const { session, turns } of texts) {
      const matcher =
        options.best === null
          ? createMatcher(session, options, { source, changedMs })
          : createBestMatcher(session, { ...options, best: options.best });
      let cutChars = 0;
      for await (const turn of turns) {
        matcher.add(turn);
        cutChars += turn.cutChars;
        if (matcher.isDone()) break;
      }
      const result = matcher.result();
      if (result !== null) results.push(result);
      if (cutChars > 0) cut += 1;
    }
    return { results, unreadable: [], cut };
  } catch (error) {
    return { results, unreadable: [{ location: source, message: messageOf(error) }], cut };
  }
}

function toMatcherOptions({ query, best, nowMs, statistics, regex, secrets }: ScanTask): MatcherOptions {
  return {
    query,
    best,
    nowMs,
    statistics,
    filter: createByteFilter(query, best),
    ...present({ regex: regex === null ? undefined : new RegExp(regex.source, regex.flags) }),
    ...(secrets === "masked" ? { mask: (text: string) => maskSecrets(text).value } : {}),
  };
}

/**
 * A search of every session of this machine. It uses the index for the sessions that are in it, and the files of all
 * other sessions, so that the answer is complete in every case.
 */

import { existsSync } from "node:fs";
import { isContinuoError, present } from "@continuo/core/model";
import { maskSecrets } from "@continuo/core/transcript";
import { debugOf, type PlacesAt, placesOf } from "@continuo/files";
import { type IndexState, indexPathOf, useIndex } from "@continuo/native/index-file";
import { type KeptTexts, type OpenTexts, openTexts, type ReadySession } from "../catalog/index.ts";
import { SEARCH_LIMITS } from "./limits.ts";
import {
  type BestMatch,
  type SearchQuery,
  type SearchResult,
  type SearchResults,
  toBestMatch,
} from "./query/index.ts";
import {
  createFileSearch,
  createScanThreads,
  type ScanResult,
  type ScanThreads,
  withTimeLimit,
} from "./scanning/index.ts";
import { bestOf, type IndexResults, type PickSessions, search } from "./search.ts";

const debug = debugOf("search");

export interface SessionSearchOptions {
  readonly places: PlacesAt;
  /** Patterns of the sessions that every search leaves out, as in `TextsOptions`. */
  readonly exclude: readonly string[];
  /** The present time, in milliseconds since 1970; newer turns rank higher. */
  readonly nowMs: number;
  /** The number of the best sessions to return; all by default. */
  readonly limit?: number;
  /** Chooses the results among these best sessions: the text of the others is not read. All are results by default. */
  readonly pick?: PickSessions;
  /** The texts that earlier searches left open. */
  readonly kept?: KeptTexts;
  /** Finds only turns whose text matches this expression. */
  readonly regex?: RegExp;
  /** The milliseconds that the regular expression may take; no limit by default. */
  readonly regexMs?: number;
  /** `masked` if secrets in excerpts are masked; secrets are not masked by default. */
  readonly secrets?: "masked";
  /** Milliseconds after which the search ends with what was found; no limit by default. */
  readonly timeMs?: number;
  /** Aborts when the results so far are enough; the search then ends with them. */
  readonly enough?: AbortSignal;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SearchProgress) => void;
  /** Called if the index lacks so many sessions that this search did not add them. */
  readonly onUnindexed?: () => void;
}

export interface SearchProgress {
  readonly searched: number;
  readonly ofSessions: number;
  /** The best results so far, and how many there are. */
  found(): SearchResults;
}

export interface SessionSearchResults extends SearchResults {
  /** The number of sessions that were searched, or that will be. */
  readonly sessions: number;
  /** The ids of these sessions, as far as they are known without reading them. */
  readonly sessionIds: readonly string[];
  /** The number of sessions that were not searched, because the time was over or the results were enough. */
  readonly unsearched: number;
  /** Sessions that were searched in their files, because the index does not have their present content. */
  readonly notIndexed: number;
  readonly unreadable: ScanResult["unreadable"];
  /** Sessions in which a text is too long to be searched whole. */
  readonly cut: number;
  readonly index: IndexState;
  /**
   * `most` if a result needs only most of the words, because no turn has all of them or because the query is a
   * question.
   */
  readonly matched: "all" | "most";
}

/** Errors: `too_large` if `regexMs` was not enough; an error if the configuration of the store cannot be read. */
export async function searchSessions(
  query: SearchQuery,
  options: SessionSearchOptions,
): Promise<SessionSearchResults> {
  const { places, exclude, signal, enough, timeMs, kept } = options;
  const begun = performance.now();
  const stop = new AbortController();
  const timer = timeMs === undefined ? undefined : setTimeout(() => stop.abort(), timeMs);
  const onAbort = (): void => stop.abort();
  for (const one of [signal, enough]) {
    if (one?.aborted === true) stop.abort();
    one?.addEventListener("abort", onAbort, { once: true });
  }
  try {
    await using threads = createScanThreads();
    const isIndexed = existsSync(indexPathOf(placesOf(places)));
    const open = kept?.open ?? openTexts;
    await using texts = await open({
      places,
      exclude,
      ...present({ signal }),
      onFound: (sessions) => {
        if (!isIndexed && sessions > SEARCH_LIMITS.fewSessions) threads.prepare();
      },
    });
    const filled = await fillFew(texts, stop.signal);
    const found = await searchAllOrMost(query, texts, { ...options, threads, stop: stop.signal });
    debug("searched", () => ({
      results: found.total,
      indexed: found.index,
      unsearched: found.unsearched,
      ms: Math.round(performance.now() - begun),
    }));
    signal?.throwIfAborted();
    if (filled === "none" && found.index !== "newer") options.onUnindexed?.();
    return found;
  } finally {
    clearTimeout(timer);
    for (const one of [signal, enough]) one?.removeEventListener("abort", onAbort);
  }
}

/** If only a few sessions changed since the last search, they are indexed now, so that the next search stays fast. */
async function fillFew(texts: OpenTexts, stop: AbortSignal): Promise<"few" | "none"> {
  const missing = texts.missing();
  const bytes = missing.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { fewSessions, fewBytes, fillMs } = SEARCH_LIMITS;
  if (missing.length > fewSessions || bytes > fewBytes) return "none";
  const end = performance.now() + fillMs;
  try {
    await texts.fill(() => performance.now() < end && !stop.aborted);
  } catch (error) {
    // If the index cannot be written, the sessions are searched in their files.
    if (!isContinuoError(error, "unwritable")) throw error;
  }
  return "few";
}

interface SearchRun extends SessionSearchOptions {
  readonly threads: ScanThreads;
  readonly stop: AbortSignal;
  readonly best?: BestMatch;
}

async function searchAllOrMost(
  query: SearchQuery,
  texts: OpenTexts,
  options: SearchRun,
): Promise<SessionSearchResults> {
  const best = options.regex === undefined ? toBestMatch(query, options.nowMs) : null;
  if (best === null) return { ...(await searchOpen(query, texts, options)), matched: "all" };
  if (!query.isQuestion) {
    const found = await searchOpen(query, texts, {
      ...options,
      ...present({ onProgress: unfinished(options) }),
    });
    if (found.total > 0 || found.unsearched > 0) return { ...found, matched: "all" };
  }
  return { ...(await searchOpen(query, texts, { ...options, best })), matched: "most" };
}

/** The progress never reports that all sessions were searched, because a search for most of the words may follow. */
function unfinished({ onProgress }: SearchRun): SessionSearchOptions["onProgress"] {
  return (
    onProgress && ((now) => onProgress({ ...now, searched: Math.min(now.searched, now.ofSessions - 1) }))
  );
}

async function searchOpen(
  query: SearchQuery,
  texts: OpenTexts,
  options: SearchRun,
): Promise<Omit<SessionSearchResults, "matched">> {
  const { ready, unreadable, cut } = texts.texts();
  const missing = texts.missing();
  const ofSessions = ready.size + missing.length;
  const sessionIds = texts.sessionIds();
  const { limit, pick, onProgress } = options;
  let early: SearchResults = { results: [], total: 0 };
  const scanning = createFileSearch(query, {
    ...options,
    onScanned: ({ left, results }) =>
      onProgress?.({
        searched: ofSessions - left,
        ofSessions,
        found: () => {
          const { results: best, total } = bestOf([...early.results, ...results], { limit, pick });
          return { results: best, total: total + early.total - early.results.length };
        },
      }),
  });
  // All results must be ranked by the same statistics.
  const isOfIndex = missing.length === 0 || (await scanning.isRankedAlike());
  const sessions = isOfIndex ? new Map(ready) : new Map<number, ReadySession>();
  // A person who watches sees the matches of the index before the files are read.
  if (onProgress !== undefined && sessions.size > 0 && missing.length > SEARCH_LIMITS.fewSessions) {
    const { pick: _, ...every } = options;
    early = await searchIndex(query, { ...every, sessions, others: [] });
  }
  await scanning.scan(isOfIndex ? missing : texts.all());
  let notIndexed = missing.length;
  // If another process writes sessions at this moment, these are searched in their files too.
  for (let round = 0; ; round++) {
    const found = await searchIndex(query, { ...options, sessions, others: scanning.results });
    const changed = found.changed.flatMap((id) => sessions.get(id)?.key ?? []);
    if (changed.length > 0 && round < SEARCH_LIMITS.rounds) {
      for (const id of found.changed) sessions.delete(id);
      const sources = texts.sources(new Set(changed));
      notIndexed += sources.length;
      await scanning.scan(sources);
      continue;
    }
    const { results, total, index } = found;
    return {
      results,
      total,
      index,
      sessions: ofSessions,
      sessionIds,
      unsearched: scanning.left + changed.length,
      notIndexed,
      unreadable: [...unreadable, ...scanning.unreadable],
      cut: cut + scanning.cut,
    };
  }
}

interface IndexSearch extends SearchRun {
  readonly sessions: ReturnType<OpenTexts["texts"]>["ready"];
  readonly others: readonly SearchResult[];
}

async function searchIndex(
  query: SearchQuery,
  { places, nowMs, limit, pick, regex, regexMs, secrets, sessions, others, best }: IndexSearch,
): Promise<IndexResults & { readonly index: IndexState }> {
  const mask = secrets === undefined ? undefined : (text: string): string => maskSecrets(text).value;
  const options = { sessions, others, nowMs, ...present({ limit, pick, regex, mask, best }) };
  const used = await useIndex(indexPathOf(placesOf(places)), "read", (database) => {
    const run = (): IndexResults => search(database, query, options);
    return regex === undefined || regexMs === undefined ? run() : withTimeLimit(regexMs, run);
  });
  if (used.state === "ready") return { ...used.value, index: used.state };
  return { ...bestOf(others, { limit, pick }), changed: [...sessions.keys()], index: used.state };
}

/** Rows found by their text. */

import { setTimeout as sleep } from "node:timers/promises";
import { createKeptTexts, type IndexedSession, type KeptTexts } from "@continuo/agents/catalog";
import {
  parseQuery,
  type SearchProgress,
  type SearchResult,
  type SessionSearchResults,
  searchSessions,
} from "@continuo/agents/search";
import { ContinuoError } from "@continuo/core/model";
import type { MachineSession, TextMatch } from "@continuo/core/wire/machine";
import { MACHINE_LIMITS } from "./limits.ts";
import type { MachineOptions } from "./options.ts";
import type { Rows } from "./rows.ts";

export interface TextSearchResult {
  /** The best match first. */
  readonly sessions: readonly MachineSession[];
  /** Sessions that were not searched because the time was over. */
  readonly unsearched: number;
  /** Sessions that match less well than these. */
  readonly unlisted: number;
  /** Sessions that match and have no row, for example because they began after the list was made. */
  readonly withoutRow: number;
  readonly notices: readonly string[];
}

/**
 * Searches continue until they are complete: the same question again gets the results that were found in the meantime.
 * A search without a waiting caller ends.
 */
export interface TextSearches {
  /** Errors: `usage` for an invalid query. */
  find(text: string, rows: Rows, options?: FindOptions): Promise<TextSearchResult>;
  close(): Promise<void>;
}

interface FindOptions {
  /** Only the rows of this page get their excerpts. */
  readonly page?: FoundPage;
  readonly signal?: AbortSignal;
}

export interface FoundPage {
  /** Distinguishes the pages of one text. */
  readonly name: string;
  of(sessions: readonly MachineSession[]): readonly MachineSession[];
}

const ALL: FoundPage = { name: "", of: (sessions) => sessions };

interface RunningSearch {
  readonly ended: Promise<RankedResults>;
  readonly stop: AbortController;
  progress: SearchProgress | null;
  /** The best sessions so far. The search returns excerpts only for those of the page. */
  best: readonly IndexedSession[];
  waiting: number;
}

type RankedResults = Pick<SessionSearchResults, "results" | "total" | "unsearched"> &
  Pick<RunningSearch, "best">;

type SearchesOptions = Pick<MachineOptions, "places" | "exclude" | "onUnindexed" | "toTime">;

interface SearchesLimits {
  /** The time after which a question is answered with what was found so far. */
  readonly waitMs?: number;
  readonly limit?: number;
  /** The texts that one search leaves open for the next. */
  readonly kept?: KeptTexts;
}

export function createTextSearches(
  options: SearchesOptions,
  {
    waitMs = MACHINE_LIMITS.searchMs,
    limit = MACHINE_LIMITS.foundSessions,
    kept = createKeptTexts(options.places),
  }: SearchesLimits = {},
): TextSearches {
  const running = new Map<string, RunningSearch>();
  const start = (text: string, rows: Rows, page: FoundPage): RunningSearch => {
    const name = nameOf(text, page);
    const own = { stop: new AbortController(), progress: null, best: [], waiting: 0 };
    const one: RunningSearch = Object.assign(own, { ended: search(text, own, { rows, page }) });
    running.set(name, one);
    const forget = (): void => {
      if (running.get(name) === one) running.delete(name);
    };
    one.ended.then(forget, forget);
    for (const [other, { stop }] of [...running].slice(0, -MACHINE_LIMITS.textSearches)) {
      running.delete(other);
      stop.abort(new ContinuoError("busy", "too many other searches run"));
    }
    return one;
  };
  const search = async (
    text: string,
    own: Omit<RunningSearch, "ended">,
    { rows, page }: { readonly rows: Rows; readonly page: FoundPage },
  ): Promise<RankedResults> => {
    const query = parseQuery(text, { toTime: options.toTime, isTyping: true });
    const found = await searchSessions(query, {
      places: options.places,
      exclude: await options.exclude(),
      nowMs: Date.now(),
      limit,
      kept,
      pick(best) {
        own.best = best;
        const shown = new Map(best.flatMap((one) => pairOf(one, rows)));
        const picked = new Set(page.of([...shown.keys()]));
        return [...shown].flatMap(([row, one]) => (picked.has(row) ? [one] : []));
      },
      signal: own.stop.signal,
      onUnindexed: options.onUnindexed,
      onProgress: (progress) => {
        own.progress = progress;
      },
    });
    return { ...found, best: own.best };
  };
  const soFar = (one: RunningSearch, rows: Rows): RankedResults => {
    const { progress } = one;
    const unsearched = progress === null ? rows.byKey.size : progress.ofSessions - progress.searched;
    const found = progress?.found() ?? { results: [], total: 0 };
    return { ...found, best: one.best, unsearched };
  };
  return {
    async find(text, rows, { page = ALL, signal } = {}) {
      signal?.throwIfAborted();
      const name = nameOf(text, page);
      const one = running.get(name) ?? start(text, rows, page);
      one.waiting += 1;
      const leave = (): void => {
        one.waiting -= 1;
        if (one.waiting > 0) return;
        if (running.get(name) === one) running.delete(name);
        one.stop.abort(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      try {
        const found = await Promise.race([one.ended, sleep(waitMs, null, { ref: false })]);
        return toFound(found ?? soFar(one, rows), rows);
      } finally {
        if (signal?.aborted !== true) one.waiting -= 1;
        signal?.removeEventListener("abort", leave);
      }
    },
    async close() {
      for (const { stop } of running.values()) stop.abort();
      await kept[Symbol.asyncDispose]();
    },
  };
}

function nameOf(text: string, { name }: FoundPage): string {
  return `${name}\n${text}`;
}

/** Returns every row if nothing is searched. */
export function allOf(rows: Rows): TextSearchResult {
  const sessions = [...rows.byKey.values()].map(({ shown }) => shown);
  return { sessions, unsearched: 0, unlisted: 0, withoutRow: 0, notices: [] };
}

function toFound({ results, total, best, unsearched }: RankedResults, rows: Rows): TextSearchResult {
  const matches = new Map(results.map((result) => [placeOf(result.session), toMatch(result)]));
  const sessions = best.flatMap((one): readonly MachineSession[] => {
    const [[shown] = []] = pairOf(one, rows);
    if (shown === undefined) return [];
    const match = matches.get(placeOf(one));
    return [match === undefined ? shown : { ...shown, match }];
  });
  const left = unsearched === 0 ? [] : [`The texts of ${unsearched} sessions are not searched yet.`];
  // The list has neither sub-agents nor deleted sessions.
  const withoutRow = best.filter(
    (one) => one.parentId === null && one.trashId === null && pairOf(one, rows).length === 0,
  ).length;
  return { sessions, unsearched, unlisted: total - best.length, withoutRow, notices: left };
}

/** The row of a session, where the list has it. */
function pairOf(
  session: IndexedSession,
  rows: Rows,
): readonly (readonly [row: MachineSession, session: IndexedSession])[] {
  const row = placesOfRows(rows).get(placeOf(session));
  return row === undefined ? [] : [[row, session]];
}

const places = new WeakMap<Rows, ReadonlyMap<string, MachineSession>>();

/** Thousands of rows are the same for many searches. */
function placesOfRows(rows: Rows): ReadonlyMap<string, MachineSession> {
  const known =
    places.get(rows) ?? new Map([...rows.byKey.values()].map(({ row, shown }) => [placeOf(row), shown]));
  places.set(rows, known);
  return known;
}

function placeOf({ agent, location }: { readonly agent: string; readonly location: string }): string {
  return `${agent} ${location}`;
}

function toMatch({ turn, turns, excerpt }: SearchResult): TextMatch {
  return {
    messageId: turn.messageId,
    turn: turn.number,
    turns: turns.length,
    excerpt: (excerpt?.pieces ?? []).map(({ text, match }) => ({ text, isMatch: match })),
  };
}

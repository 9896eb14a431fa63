/** Rows found by their text. */

import { setTimeout as sleep } from "node:timers/promises";
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
  /** Sessions that match less than these. */
  readonly unlisted: number;
  readonly notices: readonly string[];
}

/**
 * Searches continue until they are complete: the same question again gets the results that were found in the meantime.
 */
export interface TextSearches {
  /** Errors: `usage` for an invalid query. */
  find(text: string, rows: Rows): Promise<TextSearchResult>;
  close(): void;
}

interface RunningSearch {
  readonly ended: Promise<SessionSearchResults>;
  readonly stop: AbortController;
  progress: SearchProgress | null;
}

/** @param waitMs after which a question is answered with what was found so far */
export function createTextSearches(
  options: Pick<MachineOptions, "places" | "exclude" | "onUnindexed" | "toTime">,
  waitMs: number = MACHINE_LIMITS.searchMs,
  limit: number = MACHINE_LIMITS.foundSessions,
): TextSearches {
  const running = new Map<string, RunningSearch>();
  const search = async (text: string, own: Omit<RunningSearch, "ended">): Promise<SessionSearchResults> => {
    const query = parseQuery(text, { toTime: options.toTime, isTyping: true });
    return await searchSessions(query, {
      places: options.places,
      exclude: await options.exclude(),
      nowMs: Date.now(),
      limit,
      signal: own.stop.signal,
      onUnindexed: options.onUnindexed,
      onProgress: (progress) => {
        own.progress = progress;
      },
    });
  };
  const start = (text: string): RunningSearch => {
    const own = { stop: new AbortController(), progress: null };
    const one: RunningSearch = Object.assign(own, { ended: search(text, own) });
    running.set(text, one);
    const forget = (): void => {
      if (running.get(text) === one) running.delete(text);
    };
    one.ended.then(forget, forget);
    for (const [other, { stop }] of [...running].slice(0, -MACHINE_LIMITS.textSearches)) {
      running.delete(other);
      stop.abort(new ContinuoError("busy", "too many other searches run"));
    }
    return one;
  };
  return {
    async find(text, rows) {
      const one = running.get(text) ?? start(text);
      const found = await Promise.race([one.ended, sleep(waitMs, null, { ref: false })]);
      if (found !== null) return toFound(found, rows);
      const { progress } = one;
      const unsearched = progress === null ? rows.byKey.size : progress.ofSessions - progress.searched;
      return toFound({ ...(progress?.found() ?? { results: [], total: 0 }), unsearched }, rows);
    },
    close() {
      for (const { stop } of running.values()) stop.abort();
    },
  };
}

/** Every row, where nothing is searched. */
export function allOf(rows: Rows): TextSearchResult {
  const sessions = [...rows.byKey.values()].map(({ shown }) => shown);
  return { sessions, unsearched: 0, unlisted: 0, notices: [] };
}

function toFound(
  { results, total, unsearched }: Pick<SessionSearchResults, "results" | "total" | "unsearched">,
  rows: Rows,
): TextSearchResult {
  const byPlace = new Map([...rows.byKey.values()].map(({ row, shown }) => [placeOf(row), shown]));
  const sessions = results.flatMap((result) => {
    const shown = byPlace.get(placeOf(result.session));
    return shown === undefined ? [] : [{ ...shown, match: toMatch(result) }];
  });
  const left = unsearched === 0 ? [] : [`The texts of ${unsearched} sessions are not searched yet.`];
  return { sessions, unsearched, unlisted: total - results.length, notices: left };
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

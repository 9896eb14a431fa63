/** A search in the index of this machine, opened for the time of the search. */

import { runInNewContext } from "node:vm";
import type { Texts } from "../catalog/index.ts";
import type { Places } from "../files/index.ts";
import { indexPathOf, useIndex } from "../index-file/index.ts";
import { ContinuoError } from "../model/index.ts";
import type { SearchQuery } from "./query.ts";
import { type SearchOptions, type SearchResults, search } from "./search.ts";

export interface IndexSearchOptions extends Omit<SearchOptions, "sessions"> {
  /** As `updateTexts` gave it a moment ago. */
  readonly texts: Texts;
  /** Ends a regular expression that takes forever; no limit when left out. */
  readonly timeMs?: number;
}

/**
 * Errors: `unavailable` for an index that cannot be used; `too_large` where `timeMs` was not enough.
 */
export async function searchIndex(
  places: Places,
  query: SearchQuery,
  { texts, timeMs, ...options }: IndexSearchOptions,
): Promise<SearchResults> {
  const path = indexPathOf(places);
  const used = await useIndex(path, "read", (database) => {
    const run = (): SearchResults => search(database, query, { ...options, sessions: texts.ready });
    return timeMs === undefined ? run() : within(timeMs, run);
  });
  if (used.state === "ready") return used.value;
  // With no session at all, nobody made an index.
  const isEmpty = texts.left === 0 && texts.unreadable.length === 0;
  if (used.state === "missing" && isEmpty) return { results: [], total: 0, changed: 0 };
  throw new ContinuoError("unavailable", `the index ${path} cannot be used: it is ${used.state}`, {
    hint:
      used.state === "newer"
        ? "Use the newer version of Continuo that made it, or delete the index with `continuo index clear`."
        : "Check the permissions of the file, or delete the index with `continuo index clear`.",
  });
}

/** Only a context of its own can be stopped within a regular expression. What it leaves open is the caller's to close. */
function within<T>(timeMs: number, run: () => T): T {
  try {
    return runInNewContext("run()", { run }, { timeout: timeMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new ContinuoError("too_large", `the search did not end within ${timeMs / 1000} s`, {
      hint: "Write a regular expression with fewer repetitions, or name a project, an agent or a time.",
    });
  }
}

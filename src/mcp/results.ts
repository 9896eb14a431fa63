/** What a search found and the caller may see. */

import type { SearchResults } from "../search/index.ts";
import type { Machine } from "./machine.ts";
import { isVisible } from "./sessions.ts";

export function visibleResults(found: SearchResults, machine: Machine): SearchResults {
  const results = found.results.filter(({ session }) => isVisible(session, machine));
  return { ...found, results, total: found.total - (found.results.length - results.length) };
}

/** What an answer says where it is not complete; empty where it is. */
export function missingNote(notSearched: number): string {
  if (notSearched === 0) return "";
  const sessions = notSearched === 1 ? "1 session is" : `${notSearched} sessions are`;
  return `${sessions} not indexed yet and not searched: the same call searches more of them.`;
}

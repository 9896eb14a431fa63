/** A search of every session of the machine, for the tools. */

import { type SearchQuery, type SessionSearchResults, searchSessions } from "@continuo/agents/search";
import { present } from "@continuo/core/model";
import { MCP_LIMITS } from "./limits.ts";
import type { ToolContext } from "./tool-context.ts";

interface SearchMachineOptions {
  readonly signal: AbortSignal;
  /** Only turns with a text that this expression matches. */
  readonly regex?: RegExp;
}

/** All results: the caller decides later which of them may be shown. Errors: as `searchSessions`. */
export async function searchMachine(
  query: SearchQuery,
  { places, exclude, onUnindexed, nowMs, regexMs }: ToolContext,
  { signal, regex }: SearchMachineOptions,
): Promise<SessionSearchResults> {
  return await searchSessions(query, {
    places,
    regexMs,
    signal,
    onUnindexed,
    exclude: await exclude(),
    nowMs: nowMs(),
    secrets: "masked",
    timeMs: MCP_LIMITS.searchMs,
    ...present({ regex }),
  });
}

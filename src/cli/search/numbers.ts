/** The numbers of results, for `continuo open N`. */

import type { SearchResult } from "@continuo/agents/search";
import { isJson } from "@continuo/files";
import { keepNumbered, numbered } from "../notices/index.ts";
import type { Shell } from "../terminal/index.ts";
import { nameOfResult } from "./result-json.ts";

/** `location`: the name that `open` uses for the session. */
export interface NumberedResult {
  readonly location: string;
  readonly messageId: string;
}

export function keepNumbers(results: readonly SearchResult[], shell: Shell): void {
  const kept = results.map(({ session, turn }) => ({
    location: nameOfResult(session),
    messageId: turn.messageId,
  }));
  keepNumbered("results", kept, shell);
}

/** `null` if this terminal has no such result. */
export function resultOf(number: number, shell: Shell): NumberedResult | null {
  const result = numbered("results", number, shell);
  if (!isJson(result)) return null;
  const { location, messageId } = result;
  return typeof location === "string" && typeof messageId === "string" ? { location, messageId } : null;
}

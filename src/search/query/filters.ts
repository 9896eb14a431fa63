/** The filters of a query, on a session and on a turn. Pure. */

import type { IndexedSession } from "../../catalog/index.ts";
import type { SearchQuery } from "./query.ts";

/** What filters look at in a turn. */
export interface FilteredTurn {
  readonly at: string | null;
  readonly tools: readonly string[];
  readonly files: readonly string[];
  readonly errors: number;
}

export function isOfSession(
  { agent, cwd, location, gitBranch }: Pick<IndexedSession, "agent" | "cwd" | "location" | "gitBranch">,
  { agents, projects, branches }: SearchQuery,
): boolean {
  const has = (text: string | null, parts: readonly string[]): boolean =>
    parts.length === 0 || parts.some((part) => text?.toLowerCase().includes(part) === true);
  return (
    (agents.length === 0 || agents.includes(agent)) &&
    has(cwd ?? location, projects) &&
    has(gitBranch, branches)
  );
}

export function isOfTurn(
  turn: FilteredTurn,
  session: Pick<IndexedSession, "updatedAt">,
  { tools, files, since, error }: SearchQuery,
): boolean {
  const at = turn.at ?? session.updatedAt;
  return (
    tools.every((tool) => turn.tools.some((name) => name.toLowerCase() === tool)) &&
    files.every((file) => turn.files.some((path) => path.toLowerCase().includes(file))) &&
    (since === null || (at !== null && at >= since)) &&
    (error === null || turn.errors > 0)
  );
}

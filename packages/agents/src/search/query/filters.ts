/** The filters of a query, on a session and on a turn. Pure. */

import type { IndexedSession } from "../../catalog/index.ts";
import type { SearchQuery } from "./search-query.ts";

/** The facts of a turn that filters read. */
export interface FilteredTurn {
  readonly at: string | null;
  readonly tools: readonly string[];
  readonly files: readonly string[];
  readonly errors: number;
}

/** False if `isOfSession` is true of every session. */
export function filtersSessions({ agents, projects, branches, not }: SearchQuery): boolean {
  return [agents, projects, branches, not.agents, not.projects, not.branches].some(
    ({ length }) => length > 0,
  );
}

/** False if `isOfTurn` is true of every turn. */
export function filtersTurns({ tools, files, since, error, not }: SearchQuery): boolean {
  const lists = [tools, files, not.tools, not.files];
  return (
    lists.some(({ length }) => length > 0) || [since, error, not.since, not.error].some((one) => one !== null)
  );
}

export function isOfSession(
  { agent, cwd, location, gitBranch }: Pick<IndexedSession, "agent" | "cwd" | "location" | "gitBranch">,
  { agents, projects, branches, not }: SearchQuery,
): boolean {
  const has = (text: string | null, parts: readonly string[]): boolean =>
    parts.some((part) => text?.toLowerCase().includes(part) === true);
  const folder = cwd ?? location;
  return (
    (agents.length === 0 || agents.includes(agent)) &&
    (projects.length === 0 || has(folder, projects)) &&
    (branches.length === 0 || has(gitBranch, branches)) &&
    !(not.agents.includes(agent) || has(folder, not.projects) || has(gitBranch, not.branches))
  );
}

export function isOfTurn(
  turn: FilteredTurn,
  session: Pick<IndexedSession, "updatedAt">,
  { tools, files, since, error, not }: SearchQuery,
): boolean {
  const at = turn.at ?? session.updatedAt;
  const calls = (tool: string): boolean => turn.tools.some((name) => name.toLowerCase() === tool);
  const names = (file: string): boolean => turn.files.some((path) => path.toLowerCase().includes(file));
  return (
    tools.every(calls) &&
    files.every(names) &&
    !not.tools.some(calls) &&
    !not.files.some(names) &&
    (since === null || (at !== null && at >= since)) &&
    (not.since === null || (at !== null && at < not.since)) &&
    (error === null || turn.errors > 0) &&
    (not.error === null || turn.errors === 0)
  );
}

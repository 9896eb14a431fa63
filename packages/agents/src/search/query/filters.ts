/** The filters of a query, on a session and on a turn. Pure. */

import { TURN_TIME, type TurnCondition } from "@continuo/native/index-file";
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

/** Matches a text that JSON writes otherwise than it is, or whose letter case SQLite does not know. */
const NOT_PLAIN = "*[^] -[^-~]*";
/** In a list of plain texts, such a text occurs only within one of them. */
const PLAIN = /^[ !#-+\--Z^-~]+$/u;

/** `isOfTurn` as a condition of SQL; `null` if it is true of every turn. */
export function toTurnCondition(query: SearchQuery): TurnCondition | null {
  if (!filtersTurns(query)) return null;
  const { since, error, not } = query;
  const values: Record<string, string> = {};
  const parameterOf = (value: string): string => {
    const name = `filter${Object.keys(values).length}`;
    values[name] = value;
    return `$${name}`;
  };
  const parts = [
    ...listConditions(query, parameterOf),
    ...(since === null ? [] : [`${TURN_TIME} >= ${parameterOf(since)}`]),
    ...(not.since === null ? [] : [`${TURN_TIME} < ${parameterOf(not.since)}`]),
    ...(error === null ? [] : ["errors > 0"]),
    ...(not.error === null ? [] : ["errors = 0"]),
  ];
  const lists: SearchQuery = {
    ...query,
    since: null,
    error: null,
    not: { ...not, since: null, error: null },
  };
  return {
    sql: parts.join(" and "),
    values,
    listsMatch: (tools, files) => isOfTurn({ at: null, tools, files, errors: 0 }, { updatedAt: null }, lists),
  };
}

/** The conditions on tools and files. SQLite checks only plain lists itself, which nearly all are. */
function listConditions(
  { tools, files, not }: SearchQuery,
  parameterOf: (value: string) => string,
): readonly string[] {
  const has = (column: string, text: string): string => `instr(lower(${column}), ${parameterOf(text)})`;
  const isTool = (name: string): string => has("tools", `"${name}"`);
  const isFile = (part: string): string => has("files", part);
  const wanted = [...tools, ...files, ...not.tools, ...not.files];
  if (wanted.length === 0) return [];
  if (!wanted.every((one) => PLAIN.test(one))) return ["lists_match(tools, files)"];
  const conditions = [
    ...tools.map((name) => `${isTool(name)} > 0`),
    ...files.map((part) => `${isFile(part)} > 0`),
    ...not.tools.map((name) => `${isTool(name)} = 0`),
    ...not.files.map((part) => `${isFile(part)} = 0`),
  ];
  const isPlain = (column: string): string => `json_valid(${column}) and ${column} not glob '${NOT_PLAIN}'`;
  return [
    `iif(${isPlain("tools")} and ${isPlain("files")}, ${conditions.join(" and ")}, lists_match(tools, files))`,
  ];
}

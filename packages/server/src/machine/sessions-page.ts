/** A page of the list: from all rows, or from those that a text finds. */

import { present } from "@continuo/core/model";
import type { ListFigures, ListQuery, MachineSession, SessionsPage } from "@continuo/core/wire/machine";
import { pageOf, sorted, toFilter } from "./list.ts";
import { type RowUsages, withUsage } from "./row-usage.ts";
import type { RowSource } from "./rows.ts";
import { allOf, type TextSearches } from "./text-searches.ts";

interface PageSources {
  readonly source: RowSource;
  readonly searches: TextSearches;
  readonly usages: RowUsages;
  readonly figures: ListFigures;
  readonly signal?: AbortSignal;
}

/** Errors: `invalid` for an invalid cursor, `usage` for an invalid text. */
export async function sessionsPage(
  query: ListQuery,
  { source, searches, usages, figures, signal }: PageSources,
): Promise<SessionsPage> {
  const { rows, isWhole } = await rowsFor(query, source);
  const filter = toFilter(query);
  const pageIn = (sessions: readonly MachineSession[], notices: readonly string[] = []): SessionsPage =>
    pageOf(sorted(sessions.filter(filter), query), query, notices);
  if (query.deleted === "only")
    return { ...pageIn(rows.trashed, rows.notices), ...choicesIn(rows.trashed, query) };
  const wanted = {
    name: JSON.stringify(query),
    of: (all: readonly MachineSession[]) => pageIn(all).sessions,
  };
  const found =
    query.text === undefined
      ? allOf(rows)
      : await searches.find(query.text, rows, { page: wanted, ...present({ signal }) });
  const page = {
    ...pageIn(found.sessions, [...rows.notices, ...found.notices]),
    ...choicesIn(found.sessions, query),
    unsearched: found.unsearched,
    ...(found.unlisted > 0 && { unlisted: found.unlisted }),
  };
  if (!isWhole) return { ...page, nextCursor: null, projects: [], agents: [], tags: [], partial: true };
  return figures === "without" ? page : { ...page, sessions: withUsage(page.sessions, rows, usages) };
}

/** The agents and projects to choose from: those that are chosen do not hide the others. */
function choicesIn(
  sessions: readonly MachineSession[],
  query: ListQuery,
): Partial<Pick<SessionsPage, "agents" | "projects">> {
  const { agent, project, ...others } = query;
  const firstOf = (one: ListQuery): SessionsPage =>
    pageOf(sessions.filter(toFilter(one)), { ...one, limit: 0 }, []);
  if (query.cursor !== undefined) return {};
  // A part of a folder's name narrows the projects.
  const isChosen = project !== undefined && sessions.some(({ cwd }) => cwd === project);
  return {
    ...(agent !== undefined && { agents: firstOf({ ...others, ...present({ project }) }).agents }),
    ...(isChosen && { projects: firstOf({ ...others, ...present({ agent }) }).projects }),
  };
}

/** All rows, or only the newest where a first answer may have those. */
async function rowsFor(
  { partial, cursor, text, deleted, sort }: ListQuery,
  source: RowSource,
): ReturnType<RowSource["soon"]> {
  const isNewest = text === undefined && sort === undefined && deleted !== "only";
  const isFirst = partial === "allow" && cursor === undefined && isNewest;
  if (isFirst) return await source.soon();
  return { rows: await (cursor === undefined ? source.rows() : source.same()), isWhole: true };
}

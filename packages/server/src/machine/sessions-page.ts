/** A page of the list: from all rows, or from those that a text finds. */

import { present } from "@continuo/core/model";
import type { ListFigures, ListQuery, MachineSession, SessionsPage } from "@continuo/core/wire/machine";
import { pageOf, sorted, toFilter } from "./list.ts";
import { type RowUsages, withUsage } from "./row-usage.ts";
import type { KnownRows, RowSource } from "./rows.ts";
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
  const { rows, isWhole, isDue } = await rowsFor(query, source);
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
  // A session that began after the list was made gets its row before it is shown.
  if (isDue && found.withoutRow > 0) {
    await source.rows();
    return await sessionsPage(query, { source, searches, usages, figures, ...present({ signal }) });
  }
  const page = {
    ...pageIn(found.sessions, [...rows.notices, ...found.notices]),
    ...choicesIn(found.sessions, query),
    unsearched: found.unsearched,
    ...(found.unlisted > 0 && { unlisted: found.unlisted }),
  };
  if (!isWhole) return { ...page, nextCursor: null, projects: [], agents: [], tags: [], partial: true };
  return { ...page, sessions: withUsage(page.sessions, rows, { usages, figures }) };
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

/**
 * All rows; only the newest ones for a first answer that may be partial; the last rows of any age for a later page. A
 * search does not wait for a new list.
 */
async function rowsFor(
  { partial, cursor, text, deleted, sort }: ListQuery,
  source: RowSource,
): Promise<KnownRows & { readonly isWhole: boolean }> {
  const isNewest = text === undefined && sort === undefined && deleted !== "only";
  const isFirst = partial === "allow" && cursor === undefined && isNewest;
  if (isFirst) return { ...(await source.soon()), isDue: false };
  if (cursor !== undefined) return { rows: await source.same(), isWhole: true, isDue: false };
  if (text !== undefined) return { ...(await source.known()), isWhole: true };
  return { rows: await source.rows(), isWhole: true, isDue: false };
}

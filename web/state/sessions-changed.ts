/** Changes of the list of sessions. Pure. */

import type { MachineSession, SessionsChanged } from "@continuo/core/wire/machine";
import { type Filters, isOrdered, queryOf, sinceOf } from "./sessions.ts";

/**
 * The rows after a change. In a search, or in another order, only the server knows the place of a row, so rows are
 * replaced or removed, and none is added. `oldest` is the time of the last loaded row, or `null` if no more rows
 * follow; older rows arrive with their page.
 */
export function foldChanged(
  rows: readonly MachineSession[],
  change: SessionsChanged,
  { filters, now, oldest }: { readonly filters: Filters; readonly now: Date; readonly oldest: string | null },
): readonly MachineSession[] {
  const changed = new Map(change.sessions.map((row) => [row.key, row]));
  const gone = new Set(change.gone);
  const known = new Set(rows.map(({ key }) => key));
  const kept = rows.flatMap((row) => {
    if (gone.has(row.key)) return [];
    const fresh = changed.get(row.key);
    if (fresh === undefined) return [row];
    return lets(filters, fresh, now)
      ? [row.match === undefined ? fresh : { ...fresh, match: row.match }]
      : [];
  });
  if (isOrdered(filters)) return kept;
  const isLoaded = (row: MachineSession): boolean =>
    oldest === null || row.marks.pinned || (row.updatedAt ?? "") >= oldest;
  const added = change.sessions.filter(
    (row) => !known.has(row.key) && lets(filters, row, now) && isLoaded(row),
  );
  return [...kept, ...added].sort(byNewest);
}

function lets(filters: Filters, row: MachineSession, now: Date): boolean {
  const { agents, project, time, pinned, tags, shown } = filters;
  const since = sinceOf(time, now);
  const { part } = queryOf(filters, now);
  return (
    (agents.length === 0 || agents.includes(row.agent)) &&
    (row.cwd ?? "").toLowerCase().includes(project.toLowerCase()) &&
    (since === null || (row.updatedAt ?? "") >= since) &&
    (!pinned || row.marks.pinned) &&
    tags.every((tag) => row.marks.tags.includes(tag)) &&
    (part === undefined || part === PARTS[row.place?.of ?? "none"]) &&
    (shown === "deleted") === (row.trashId !== null) &&
    (shown === "deleted" || (shown === "archived") === row.archived)
  );
}

const PARTS = { none: "conversations", channel: "channels", live: "live" } as const;

/** The order of the server. */
function byNewest(a: MachineSession, b: MachineSession): number {
  if (a.marks.pinned !== b.marks.pinned) return a.marks.pinned ? -1 : 1;
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  const [i, j] = [`${a.agent}:${a.sessionId}`, `${b.agent}:${b.sessionId}`];
  return i < j ? -1 : i > j ? 1 : 0;
}

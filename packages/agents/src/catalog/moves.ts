/**
 * The present names of agents' sessions. An imported session continues as an own session, under another id. Editors and
 * the viewer use this rule to find their sessions. Pure.
 */

import { isSame, type NativeName, nativeKey, type OwnRow } from "./rows.ts";

/**
 * The names of all native sessions of the conversation, including earlier ones. If the conversation was imported, the
 * session from which it was imported comes first; a session with only a part of the messages does not take its place.
 */
export function earlierNames({ importedFrom, isPartial, nativeRefs }: OwnRow): readonly NativeName[] {
  return importedFrom === null || isPartial ? nativeRefs : [importedFrom, ...nativeRefs];
}

/**
 * The own session that took the place of a native session: the first one that was imported from it, otherwise the one
 * that continues in it. `null` if there is none.
 */
export function ownerOf(native: NativeName, rows: readonly OwnRow[]): OwnRow | null {
  return ownersByName(rows).get(nativeKey(native)) ?? rows.find((row) => isSame(row, native)) ?? null;
}

/**
 * Maps the key of each native session that was imported to the first own session that was imported from it. A session
 * with only a part of the messages does not take its place.
 */
export function ownersByName(rows: readonly OwnRow[]): ReadonlyMap<string, OwnRow> {
  const owners = new Map<string, OwnRow>();
  for (const row of rows) {
    if (row.importedFrom === null || row.isPartial) continue;
    const key = nativeKey(row.importedFrom);
    const before = owners.get(key);
    if (before === undefined || isBefore(row, before)) owners.set(key, row);
  }
  return owners;
}

function isBefore(a: OwnRow, b: OwnRow): boolean {
  const [x, y] = [a.createdAt ?? "", b.createdAt ?? ""];
  return x === y ? a.sessionId < b.sessionId : x < y;
}

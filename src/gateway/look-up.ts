/** Finds the session for an id that an editor sends. */

import {
  type CatalogSources,
  isOwn,
  type ListedSession,
  type LookUpHit,
  listOwn,
  locateRow,
  lookUp,
  type OpenOwn,
  OWN,
  type OwnRow,
  openOwn,
  ownerOf,
} from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import { type PlacesAt, placesOf } from "@continuo/files";
import { settleBeforeReading } from "@continuo/native/editing";
import { ownId, parseId, type SessionName, sessionGone } from "./ids.ts";

export interface FoundForEditor {
  readonly hit: LookUpHit;
  /** Its name in commands and conversations. */
  readonly name: string;
  /** The agent that answered last; `null` if no record names it. */
  readonly agent: string | null;
  readonly cwd: string | null;
}

/**
 * Errors: `not_found` unless the id is exactly the id of a session; those of opening the store.
 *
 * @param listed the row that the editor was shown, so that its file is looked at before all others
 */
export async function findSession(
  id: string,
  places: PlacesAt,
  listed?: ListedSession,
): Promise<FoundForEditor> {
  const name = parseId(id);
  await using own = await openOwn(places);
  const row = own === null || name.agent === OWN ? null : await ownRowOf(name, own);
  if (row !== null) return ownOf(row);
  const hit = (await hitOfRow(listed, places)) ?? (await lookUpExactly(id, { places, store: own }));
  // People may give the beginning of an id, editors may not.
  if (hit.kind === "own" && hit.row.sessionId === name.sessionId) return ownOf(hit.row);
  if (hit.kind !== "native" || hit.native.found.sessionId !== name.sessionId) throw sessionGone(id);
  return { hit, name: id, agent: name.agent, cwd: null };
}

/** `null` if the row names no file, or if its session no longer exists. */
async function hitOfRow(row: ListedSession | undefined, places: PlacesAt): Promise<LookUpHit | null> {
  if (row === undefined || isOwn(row)) return null;
  await settleBeforeReading({ places: placesOf(places) });
  try {
    return await locateRow(row, places);
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

function ownOf(row: OwnRow): FoundForEditor {
  return { hit: { kind: "own", row }, name: ownId(row.sessionId), agent: row.lastAgent, cwd: row.cwd };
}

async function lookUpExactly(id: string, sources: CatalogSources): Promise<LookUpHit> {
  try {
    return await lookUp(id, { ...sources, examples: "without examples" });
  } catch (error) {
    const isPrefix = isContinuoError(error, "ambiguous") && id.startsWith(`${OWN}:`);
    if (isPrefix || isContinuoError(error, "not_found") || isContinuoError(error, "usage"))
      throw sessionGone(id);
    throw error;
  }
}

/** Finds Continuo's session that began as this native session; otherwise the one that continues in it. */
export async function ownRowOf(native: SessionName, own: OpenOwn): Promise<OwnRow | null> {
  return ownerOf(native, await listOwn(own));
}

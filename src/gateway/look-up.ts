/** From an id that an editor sends to the session. */

import {
  type LookUpHit,
  listOwn,
  lookUp,
  type OpenOwn,
  OWN,
  type OwnRow,
  openOwn,
} from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { ownId, parseId, sessionGone } from "./ids.ts";
import { ownersOf } from "./list.ts";

export interface FoundForEditor {
  readonly hit: LookUpHit;
  /** The name of it in commands and conversations. */
  readonly name: string;
  /** The agent that answered last; `null` where nobody tells. */
  readonly agent: string | null;
  readonly cwd: string | null;
}

/** Errors: `not_found` unless the id is exactly one of a session; those of opening the store. */
export async function findSession(id: string, places: PlacesAt): Promise<FoundForEditor> {
  const name = parseId(id);
  await using own = await openOwn(places);
  const row = own === null ? null : await ownRowOf(id, own);
  if (row !== null) {
    return { hit: { kind: "own", row }, name: ownId(row.sessionId), agent: row.lastAgent, cwd: row.cwd };
  }
  if (name.agent === OWN) throw sessionGone(id);
  const hit = await lookUpNative(id, places);
  if (hit.kind !== "native" || hit.native.found.sessionId !== name.sessionId) throw sessionGone(id);
  return { hit, name: id, agent: name.agent, cwd: null };
}

async function lookUpNative(id: string, places: PlacesAt): Promise<LookUpHit> {
  try {
    return await lookUp(id, { places, store: null, examples: "without examples" });
  } catch (error) {
    if (isContinuoError(error, "not_found") || isContinuoError(error, "usage")) throw sessionGone(id);
    throw error;
  }
}

/** One of Continuo's: by its own id, as what it began as, or as what it continues in. */
async function ownRowOf(id: string, own: OpenOwn): Promise<OwnRow | null> {
  const { agent, sessionId } = parseId(id);
  const rows = await listOwn(own);
  if (agent === OWN) return rows.find((row) => row.sessionId === sessionId) ?? null;
  const continued = rows.find(({ nativeRefs }) =>
    nativeRefs.some((ref) => ref.agent === agent && ref.sessionId === sessionId),
  );
  return ownersOf(rows).get(id) ?? continued ?? null;
}

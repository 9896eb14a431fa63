/** Native sessions deleted, which is to say moved to the trash, and restored. */

import { ContinuoError, isContinuoError, type ReadableRef } from "../model/index.ts";
import {
  type Lookup,
  type LookupOptions,
  lookUpSession,
  pick,
  placesOfThisUser,
  readerOf,
} from "./lookup/index.ts";
import type { Places } from "./reader/index.ts";
import {
  emptyTrash as emptyFolder,
  listTrash,
  moveToTrash,
  restoreFromTrash,
  type TrashedSession,
} from "./trash/index.ts";

export interface TrashPlaces {
  /** This user's when left out. */
  readonly places?: Places;
  /** The time that is noted, or that ages are counted from. */
  readonly now?: Date;
}

/**
 * Moves a session's files, or its rows of a database, out of its agent's sight, and looks that it is gone.
 *
 * Errors: as `lookUpSession`; `session_live`; `has_forks` with `details.forks`; `unreadable`, `unsupported`,
 * `conflict`, `busy`, `unwritable`, and nothing has moved then; `verification_failed`.
 */
export async function trashNativeSession(
  ref: string | ReadableRef,
  options: LookupOptions & TrashPlaces = {},
): Promise<TrashedSession> {
  const places = options.places ?? placesOfThisUser();
  const lookup = await lookUpSession(ref, { ...options, places });
  const { reader, found } = lookup;
  const unread = found.problems.find(({ code }) => code === "unreadable");
  if (unread !== undefined) throw new ContinuoError("unreadable", unread.message);
  const info = await reader.skim(found, { part: "whole", ...pick(options, "signal") });
  const plan = await reader.trashPlan(found, places);
  const trashed = await moveToTrash(found, info, plan, { places, now: options.now ?? new Date() });
  if (!(await isListed(lookup, places))) return trashed;
  throw new ContinuoError("verification_failed", `${found.agent} still finds ${found.sessionId}`, {
    hint: `What was moved is in the trash: \`continuo session restore ${trashed.trashId}\`.`,
    details: { trashId: trashed.trashId, location: found.location },
  });
}

/**
 * Puts a deleted session back, byte for byte, and looks that its agent's places hold it again.
 *
 * @param id a trash id, a session id or the beginning of one, with or without `agent:`
 * Errors: `not_found`, `ambiguous`, `conflict`, `corrupt`, `busy`, `unwritable`; `verification_failed`.
 */
export async function restoreNativeSession(id: string, options: TrashPlaces = {}): Promise<TrashedSession> {
  const places = options.places ?? placesOfThisUser();
  const restored = await restoreFromTrash(id, places);
  const { agent, sessionId, location } = restored.info;
  const reader = await readerOf(agent);
  if ((await recognised(reader, location, places)) === sessionId) return restored;
  throw new ContinuoError("verification_failed", `${location} is back, and is not ${agent}:${sessionId}`);
}

/** Newest deletion first. */
export function listTrashedSessions(options: TrashPlaces = {}): readonly TrashedSession[] {
  return listTrash(options.places ?? placesOfThisUser());
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes for good what was deleted more than so many days ago (all of it when left out), and returns it. */
export function emptyTrash(
  options: TrashPlaces & { readonly olderThanDays?: number } = {},
): readonly TrashedSession[] {
  const places = options.places ?? placesOfThisUser();
  const { olderThanDays } = options;
  if (olderThanDays === undefined) return emptyFolder(places);
  const now = options.now ?? new Date();
  return emptyFolder(places, new Date(now.getTime() - olderThanDays * DAY_MS));
}

/** The same id in another place is another session. */
async function isListed({ reader, found }: Lookup, places: Places): Promise<boolean> {
  for await (const other of reader.find(places, {})) {
    if (other.sessionId === found.sessionId && other.location === found.location) return true;
  }
  return false;
}

async function recognised(
  reader: Lookup["reader"],
  location: string,
  places: Places,
): Promise<string | null> {
  try {
    return (await reader.recognise(location, places))?.sessionId ?? null;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

/** An editor deletes, archives, forks or renames a whole session, as the commands do. */

import {
  deleteOwn,
  earlierNames,
  forkOwn,
  nativeKey,
  type OpenOwn,
  openOwnAgain,
  renameOwn,
  setArchived,
} from "@continuo/agents/catalog";
import { isAgentName, isContinuoError } from "@continuo/core/model";
import { type PlacesAt, placesOf } from "@continuo/files";
import { lookUpSession } from "@continuo/native";
import { forkNativeSession, renameNativeSession, trashNativeSession } from "@continuo/native/editing";
import type { FoundSession } from "@continuo/native/kit";
import { ownId } from "./ids.ts";
import { type FoundForEditor, findSession } from "./look-up.ts";

/**
 * Moves a native session to the trash, from which `continuo session restore` takes it back. For a session of
 * Continuo's, the native sessions of the conversation are moved to the trash first, and then the session is deleted,
 * because an editor has one row for all of them. Errors: those of the trash; native sessions that were not moved stay,
 * and so does the session.
 */
export async function deleteSession({ hit }: FoundForEditor, places: PlacesAt): Promise<void> {
  if (hit.kind === "native") return await moveToTrash(hit.native.found, places);
  const { row } = hit;
  for (const native of earlierNames(row)) {
    if (isAgentName(native.agent)) await moveNamedToTrash(nativeKey(native), places);
  }
  await withOwn(places, (own) => deleteOwn(row, own));
}

/** A session that no longer exists is not moved to the trash. */
async function moveNamedToTrash(name: string, places: PlacesAt): Promise<void> {
  try {
    const { found } = await lookUpSession(name, { places: placesOf(places) });
    await moveToTrash(found, places);
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
  }
}

async function moveToTrash(
  { agent, sessionId, location, cwd }: FoundSession,
  places: PlacesAt,
): Promise<void> {
  const ref = { agent, sessionId, location, cwd: cwd ?? null };
  await trashNativeSession(ref, { places: placesOf(places), now: new Date() });
}

/** Returns the id of the copy. `at` is the last message of the copy; without it, the whole session is copied. */
export async function forkSession(
  { hit }: FoundForEditor,
  at: string | undefined,
  places: PlacesAt,
): Promise<string> {
  const wish = at === undefined ? {} : { at };
  if (hit.kind === "native") {
    const { agent, sessionId } = await forkNativeSession(hit.native.found, {
      places: placesOf(places),
      ...wish,
    });
    return `${agent}:${sessionId}`;
  }
  return await withOwn(places, async (own) => ownId((await forkOwn(hit.row, own, at)).session.sessionId));
}

/** Errors: `not_found`; those of `setArchived`. */
export async function archiveSession(id: string, archived: boolean, places: PlacesAt): Promise<void> {
  await setArchived((await findSession(id, places)).hit, archived, { places: placesOf(places) });
}

/** Returns the title in the form of the next list. */
export async function renameSession(id: string, title: string, places: PlacesAt): Promise<string> {
  const { hit } = await findSession(id, places);
  return hit.kind === "native"
    ? await renameNativeSession(hit.native.found, title, { places: placesOf(places) })
    : await withOwn(places, (own) => renameOwn(hit.row, title, own));
}

async function withOwn<T>(places: PlacesAt, use: (own: OpenOwn) => Promise<T>): Promise<T> {
  await using own = await openOwnAgain(places);
  return await use(own);
}

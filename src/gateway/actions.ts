/** An editor deletes, archives, forks or renames a whole session, as the commands do. */

import {
  forkOwn,
  type OpenOwn,
  openOwnAgain,
  renameOwn,
  setArchived,
  trashOwn,
} from "@continuo/agents/catalog";
import { type PlacesAt, placesOf } from "@continuo/files";
import { forkNativeSession, renameNativeSession, trashNativeSession } from "@continuo/native/editing";
import { ownId } from "./ids.ts";
import { type FoundForEditor, findSession } from "./look-up.ts";

/**
 * Moves a session to the trash, from which `continuo session restore` takes it back: a native session, or a session of
 * Continuo's together with the native sessions of its conversation, because an editor has one row for all of them.
 * Errors: those of the trash; native sessions that were not moved stay, and so does the session.
 */
export async function deleteSession({ hit }: FoundForEditor, places: PlacesAt): Promise<void> {
  const options = { places: placesOf(places), now: new Date() };
  if (hit.kind === "native") {
    const { agent, sessionId, location, cwd } = hit.native.found;
    await trashNativeSession({ agent, sessionId, location, cwd: cwd ?? null }, options);
  } else await withOwn(places, (own) => trashOwn(hit.row, own, options));
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
